// The layout of the parameters follows from the argument types that the platform's compiler reports. Its log is
// searched for the first error, which platforms write in two forms.
#include "device/opencl/module.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "launch/check.hpp"

namespace warpwright::device::opencl {
namespace {

struct Scalar {
    std::uint32_t size = 0;  ///< bytes; 0: not known
    std::string type;        ///< PTX type
};

/// OpenCL C's scalars, and vectors of them ("float4"), which are passed as bytes.
Scalar scalar_of(std::string_view text) {
    constexpr struct {
        const char* name;
        std::uint32_t size;
        const char* type;
    } kTypes[] = {{"char", 1, "s8"},
                  {"uchar", 1, "u8"},
                  {"short", 2, "s16"},
                  {"ushort", 2, "u16"},
                  {"int", 4, "s32"},
                  {"uint", 4, "u32"},
                  {"long", 8, "s64"},
                  {"ulong", 8, "u64"},
                  {"half", 2, "b16"},
                  {"float", 4, "f32"},
                  {"double", 8, "f64"},
                  {"unsigned char", 1, "u8"},
                  {"unsigned short", 2, "u16"},
                  {"unsigned int", 4, "u32"},
                  {"unsigned", 4, "u32"},
                  {"unsigned long", 8, "u64"}};
    std::string_view base = text;
    while (!base.empty() && std::isdigit(static_cast<unsigned char>(base.back()))) base.remove_suffix(1);
    std::uint32_t width = 1;
    if (base.size() < text.size()) std::from_chars(text.data() + base.size(), text.data() + text.size(), width);
    for (const auto& t : kTypes)
        if (base == t.name) return {t.size * (width == 3 ? 4 : width), width == 1 ? t.type : "b8"};
    return {};
}

/// Takes "file:line:column" from the end of a text and leaves what precedes `file`. False if there is no line.
bool take_place(std::string_view text, Location& where) {
    while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.remove_suffix(1);
    unsigned numbers[2] = {0, 0};
    int found = 0;
    while (found < 2) {
        const std::size_t colon = text.rfind(':');
        if (colon == std::string_view::npos) break;
        const auto digits = text.substr(colon + 1);
        unsigned value = 0;
        auto [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (problem != std::errc{} || digits.empty() || rest != digits.data() + digits.size()) break;
        numbers[found++] = value;
        text = text.substr(0, colon);
    }
    if (found == 0) return false;
    where.line = numbers[found - 1];
    where.column = found == 2 ? numbers[0] : 0;
    if (text.find('/') != std::string_view::npos && text.find(' ') == std::string_view::npos)
        where.file = std::string(text);
    return true;
}

/// The first error of a compiler's log: "file:line:column: error: words", or "error: file:line:column: words" (PoCL).
Error refused(const std::string& log, const std::string& name) {
    Error error{ErrorKind::input, "the platform's compiler refuses the source", {name, 0, 0}, ""};
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        const std::size_t mark = line.find("error:");
        if (mark == std::string::npos) continue;
        error.what = line.substr(std::min(line.find_first_not_of(' ', mark + 6), line.size()));
        if (take_place(std::string_view(line).substr(0, mark), error.where)) return error;
        const std::size_t words = error.what.find(": ");
        if (words != std::string::npos && take_place(std::string_view(error.what).substr(0, words), error.where))
            error.what.erase(0, words + 2);
        return error;
    }
    return error;
}

}  // namespace

Result<std::shared_ptr<OpenclModule>> OpenclModule::build(std::shared_ptr<Holder> holder, std::string name,
                                                          const std::string& source) {
    if (auto ok = holder->use(); !ok) return ok.error();
    auto out = std::make_shared<OpenclModule>(std::move(holder), std::move(name));
    const OpenclFunctions& t = out->holder_->table();
    Status s = status::success;
    const char* text = source.c_str();
    const std::size_t length = source.size();
    out->program_ = t.program_create(out->holder_->context(), 1, &text, &length, &s);
    if (s != status::success) return error_of(s, "the program", out->where());
    std::string options = "-cl-std=CL1.2 -cl-kernel-arg-info";
    const std::size_t slash = out->name_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : out->name_.substr(0, slash);
    if (folder.find(' ') == std::string::npos) options += " -I " + folder;  // platforms do not agree on quotes
    const DeviceId device = out->holder_->device();
    s = t.program_build(out->program_, 1, &device, options.c_str(), nullptr, nullptr);
    if (s == status::build_failure)
        return refused(text_of(t.program_build_info, info::build_log, out->program_, device), out->name_);
    if (s != status::success) return error_of(s, "compiling", out->where());
    const std::string names = text_of(t.program_info, info::kernel_names, out->program_);
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(';', at), names.size());
        if (end > at)
            if (auto ok = out->add(names.substr(at, end - at)); !ok) return ok.error();
        at = end + 1;
    }
    return out;
}

OpenclModule::~OpenclModule() {
    if (holder_->given_up()) return;
    for (BuiltKernel& e : entries_) (void)holder_->table().kernel_release(e.handle);
    if (program_) (void)holder_->table().program_release(program_);
}

Result<std::pair<Address, std::uint64_t>> OpenclModule::variable(const std::string& name) const {
    return Error{ErrorKind::input, "no variable '" + name + "': OpenCL programs show none", {name_, 0, 0}, ""};
}

Result<void> OpenclModule::add(const std::string& kernel) {
    const OpenclFunctions& t = holder_->table();
    Status s = status::success;
    BuiltKernel entry;
    entry.handle = t.kernel_create(program_, kernel.c_str(), &s);
    if (s != status::success) return error_of(s, "kernel '" + kernel + "'", where());
    entries_.push_back(entry);  // released with the module in any case
    BuiltKernel& e = entries_.back();
    KernelInfo k;
    k.name = kernel;
    const auto count = value_of<Count>(t.kernel_info, info::argument_count, e.handle);
    std::uint32_t offset = 0;
    for (Count i = 0; i < count; ++i) {
        Space space = Space::value;
        if (s = t.kernel_argument_info(e.handle, i, info::argument_space, sizeof(space), &space, nullptr);
            s != status::success)
            return error_of(s, "kernel '" + kernel + "'", where());
        std::string type = text_of(t.kernel_argument_info, info::argument_type, e.handle, i);
        Scalar scalar = space == Space::value ? scalar_of(type) : Scalar{8, "u64"};
        if (scalar.size == 0)
            return Error{ErrorKind::limit,
                         "kernel '" + kernel + "': argument " + std::to_string(i) + " is of type '" + type + "'",
                         where(), "numbers, vectors of numbers and pointers are passed"};
        offset = (offset + scalar.size - 1) / scalar.size * scalar.size;
        e.arguments.push_back({space, offset, scalar.size});
        k.parameters.push_back({"argument " + std::to_string(i), offset, scalar.size, scalar.size, scalar.type});
        offset += scalar.size;
    }
    const DeviceId d = holder_->device();
    k.max_threads = static_cast<std::uint32_t>(std::min<std::size_t>(
        value_of<std::size_t>(t.kernel_group_info, info::kernel_group_size, e.handle, d), 1u << 30));
    k.static_shared = value_of<std::uint64_t>(t.kernel_group_info, info::kernel_local_bytes, e.handle, d);
    k.local = value_of<std::uint64_t>(t.kernel_group_info, info::kernel_private_bytes, e.handle, d);
    std::size_t required[3] = {};
    if (t.kernel_group_info(e.handle, d, info::required_group_size, sizeof(required), required, nullptr) ==
            status::success &&
        required[0])
        k.required_block = {static_cast<std::uint32_t>(required[0]), static_cast<std::uint32_t>(required[1]),
                            static_cast<std::uint32_t>(required[2])};
    kernels_.push_back(std::move(k));
    return {};
}

Result<void> OpenclModule::enqueue(const std::string& kernel, const LaunchConfig& config,
                                   std::span<const std::byte> parameters, Event* event) {
    if (auto ok = holder_->use(); !ok) return ok;
    const auto found =
        std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelInfo& k) { return k.name == kernel; });
    if (found == kernels_.end()) return Error{ErrorKind::input, "no kernel '" + kernel + "'", where(), ""};
    if (auto ok = launch::check(*found, config, holder_->info().limits, parameters.size(), where()); !ok)
        return ok.error();
    if (config.cooperative || config.cluster.count() > 1)
        return Error{ErrorKind::limit,
                     "launch of '" + kernel + "': OpenCL has neither cooperative launches nor clusters", where(), ""};
    const BuiltKernel& entry = entries_[static_cast<std::size_t>(found - kernels_.begin())];
    const OpenclFunctions& t = holder_->table();
    for (Count i = 0; i < entry.arguments.size(); ++i) {
        const Argument& a = entry.arguments[i];
        Status s = status::success;
        if (a.space == Space::value) {
            s = t.kernel_argument(entry.handle, i, a.size, parameters.data() + a.offset);
        } else if (a.space == Space::local) {
            // As with dynamic shared memory, this is the launch's whole amount.
            s = t.kernel_argument(entry.handle, i, std::max<std::uint64_t>(config.dynamic_shared, 1), nullptr);
        } else {
            Address address = 0;
            std::memcpy(&address, parameters.data() + a.offset, 8);
            auto memory = holder_->argument(address, found->parameters[i].name + " of " + kernel, where());
            if (!memory) return memory.error();
            s = t.kernel_argument(entry.handle, i, sizeof(Memory), &*memory);
        }
        if (s != status::success) return error_of(s, "argument " + std::to_string(i) + " of '" + kernel + "'", where());
    }
    const std::size_t local[3] = {config.block.x, config.block.y, config.block.z};
    const std::size_t global[3] = {local[0] * config.grid.x, local[1] * config.grid.y, local[2] * config.grid.z};
    const Count dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
    if (Status s = t.launch(holder_->queue(), entry.handle, dimensions, nullptr, global, local, 0, nullptr, event);
        s != status::success)
        return error_of(s, "launch of '" + kernel + "'", where());
    return {};
}

}  // namespace warpwright::device::opencl
