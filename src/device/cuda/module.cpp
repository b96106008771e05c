// The driver's linker makes the machine code that is kept on disk, under a key of the driver's version, the compute
// capability and the text. Kept code that does not load is removed and made again.
#include "device/cuda/module.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "support/content_hash.hpp"

namespace warpwright::device::cuda {
namespace {

/// The JIT options that ask for an error log, with room for it.
struct ErrorLog {
    std::vector<char> text = std::vector<char>(16 * 1024, '\0');
    JitOption options[3] = {JitOption::error_log, JitOption::error_log_bytes, JitOption::optimization_level};
    void* values[3] = {text.data(), reinterpret_cast<void*>(text.size()), nullptr};  // the last one only if asked for
    std::string words() const { return std::string(text.data(), ::strnlen(text.data(), text.size())); }
};

/// Links PTX to machine code; returns nothing when the driver does not.
std::string link(const DriverTable& t, const std::string& name, std::string& ptx) {
    ErrorLog log;
    LinkState state = nullptr;
    const int level = asked_level(ptx);
    log.values[2] = reinterpret_cast<void*>(static_cast<std::intptr_t>(level));
    if (t.link_create(level < 0 ? 2 : 3, log.options, log.values, &state) != status::success) return {};
    std::string cubin;
    void* image = nullptr;
    std::size_t bytes = 0;
    if (t.link_add(state, kInputPtx, ptx.data(), ptx.size() + 1, name.c_str(), 0, nullptr, nullptr) ==
            status::success &&
        t.link_complete(state, &image, &bytes) == status::success && image)
        cubin.assign(static_cast<const char*>(image), bytes);  // the image goes with the state
    (void)t.link_destroy(state);
    return cubin;
}

std::string list_of(const std::vector<KernelInfo>& kernels) {
    std::string s;
    for (const auto& k : kernels) s += (s.empty() ? "" : ", ") + k.name;
    return s.empty() ? "it has none" : "it has " + s;
}

}  // namespace

int asked_level(std::string_view ptx) {
    constexpr std::string_view mark = "// ptxas: -O";
    const auto at = ptx.find(mark);
    if (at == std::string_view::npos || at + mark.size() >= ptx.size()) return -1;
    const char digit = ptx[at + mark.size()];
    return digit >= '0' && digit <= '4' ? digit - '0' : -1;
}

std::string machine_code_key(const CudaDeviceInfo& info, const std::string& ptx) {
    return ContentHasher()
        .add("cubin-1")
        .add(std::to_string(info.driver_version))
        .add(std::to_string(info.limits.compute_capability))
        .add(ptx)
        .digest();
}

Error jit_error(const std::string& log, Error error) {
    std::size_t at = 0;
    std::string first, line;
    while (at < log.size() && first.empty()) {
        auto end = std::min(log.find('\n', at), log.size());
        line = log.substr(at, end - at);
        at = end + 1;
        if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos) first = line;
    }
    if (first.empty()) return error;
    if (auto mark = first.find("line "); mark != std::string::npos)
        std::from_chars(first.data() + mark + 5, first.data() + first.size(), error.where.line);
    if (auto mark = first.find(": ");
        mark != std::string::npos && error.where.line != 0 && first.find("error") != first.npos) {
        // "ptxas application ptx input, line 14; error : Unknown symbol 'x'"
        mark = first.find(": ", first.find("error"));
        if (mark != std::string::npos) first.erase(0, mark + 2);
    }
    error.what += ": " + first;
    return error;
}

Result<std::shared_ptr<CudaModule>> CudaModule::load(std::shared_ptr<ContextHolder> context, DiskCache& cache,
                                                     std::string name, std::string ptx) {
    auto signatures = ptx::read_signatures(ptx, name);
    if (!signatures) return std::move(signatures).error();
    if (auto ok = context->use(); !ok) return std::move(ok).error();
    std::shared_ptr<CudaModule> out(new CudaModule(std::move(context)));
    out->name_ = std::move(name);
    const std::string key = machine_code_key(out->context_->info(), ptx);
    if (auto kept = cache.get(key)) {
        out->image_ = std::move(*kept);
        if (!out->enter()) {  // from another driver of the same version, or damaged: compiled again
            cache.remove(key);
            out->image_.clear();
            if (auto ok = out->context_->use(); !ok) return std::move(ok).error();
        }
    }
    if (out->image_.empty()) {
        out->image_ = link(out->context_->table(), out->name_, ptx);
        const bool linked = !out->image_.empty();
        // Where linking failed, the plain call reports the reason, or succeeds.
        if (!linked) out->image_.assign(ptx.c_str(), ptx.size() + 1);
        if (auto ok = out->enter(); !ok) return std::move(ok).error();
        if (linked) cache.put(key, out->image_);
    }
    if (auto ok = out->describe(*signatures); !ok) return std::move(ok).error();
    return out;
}

Result<void> CudaModule::enter() {
    ErrorLog log;
    const DriverTable& t = context_->table();
    Status s = t.module_load(&handle_, image_.data(), 2, log.options, log.values);
    if (s != status::success) {
        handle_ = nullptr;
        return jit_error(log.words(), context_->failed(s, "loading on " + context_->info().device(), where()));
    }
    generation_ = context_->generation();
    functions_.clear();
    return {};
}

Result<void> CudaModule::describe(const std::vector<ptx::EntrySignature>& signatures) {
    const DriverTable& t = context_->table();
    for (const ptx::EntrySignature& e : signatures) {
        KernelInfo k;
        k.name = e.name;
        for (const ptx::EntryParameter& p : e.parameters)
            k.parameters.push_back({p.name, p.offset, p.size, p.align, p.type});
        const auto& b = e.required_block;
        k.required_block = {b[0], b[1], b[2]};
        k.max_threads = e.max_threads;
        const auto& c = e.required_cluster;
        k.required_cluster = {c[0], c[1], c[2]};
        k.explicit_cluster = e.explicit_cluster;
        k.max_cluster = e.max_cluster;
        k.has_line_information = e.has_line_information;
        if (e.prints) printing_.insert(e.name);
        auto function = this->function(e.name);
        if (!function) return std::move(function).error();
        const auto get = [&](FunctionAttribute which) {
            int value = 0;
            return t.function_attribute(&value, which, *function) == status::success && value > 0 ? value : 0;
        };
        k.registers = static_cast<std::uint32_t>(get(FunctionAttribute::registers));
        k.registers_source = record::kByDriver;
        k.static_shared = static_cast<std::uint64_t>(get(FunctionAttribute::static_shared));
        k.constant = static_cast<std::uint64_t>(get(FunctionAttribute::constant));
        k.local = static_cast<std::uint64_t>(get(FunctionAttribute::local));
        // A full block does not fit with this many registers: the driver knows, and a launch would only report
        // "resources".
        const auto most = static_cast<std::uint32_t>(get(FunctionAttribute::threads_per_block));
        if (most != 0 && most < context_->info().limits.threads_per_block &&
            (k.max_threads == 0 || most < k.max_threads))
            k.max_threads = most;
        kernels_.push_back(std::move(k));
    }
    return {};
}

Result<const KernelInfo*> CudaModule::kernel(const std::string& name) const {
    for (const KernelInfo& k : kernels_)
        if (k.name == name) return &k;
    return Error{ErrorKind::input, "no kernel '" + name + "'", where(), list_of(kernels_)};
}

Result<Function> CudaModule::function(const std::string& name) {
    if (auto ok = context_->use(); !ok) return std::move(ok).error();
    if (generation_ != context_->generation())
        if (auto ok = enter(); !ok) return std::move(ok).error();
    if (auto it = functions_.find(name); it != functions_.end()) return it->second;
    Function function = nullptr;
    if (Status s = context_->table().module_function(&function, handle_, name.c_str()); s != status::success)
        return context_->failed(s, "looking for the kernel '" + name + "'", where());
    functions_.emplace(name, function);
    return function;
}

Result<std::pair<Address, std::uint64_t>> CudaModule::variable(const std::string& name) const {
    if (auto ok = context_->use(); !ok) return std::move(ok).error();
    DevicePointer address = 0;
    std::size_t bytes = 0;
    if (generation_ == context_->generation() &&
        context_->table().module_global(&address, &bytes, handle_, name.c_str()) == status::success)
        return std::pair{Address{address}, std::uint64_t{bytes}};
    return Error{ErrorKind::input, "no variable '" + name + "'", where(), ""};
}

CudaModule::~CudaModule() {
    if (handle_ && generation_ == context_->generation() && context_->use().ok() &&
        generation_ == context_->generation())
        (void)context_->table().module_unload(handle_);
}

}  // namespace warpwright::device::cuda
