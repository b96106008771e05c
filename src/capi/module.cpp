// Modules: CUDA C++ and PTX as code of the process's device.
#include <fmt/format.h>

#include "capi/handles.hpp"
#include "capi/text.hpp"
#include "compile/kernel/compile.hpp"
#include "compile/kernel/entries.hpp"
#include "compile/program/fatbin.hpp"
#include "cudart/state/runtime.hpp"
#include "launch/declared.hpp"
#include "support/demangle.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"

namespace warpwright::capi {
namespace {

/// The source with one host variable for each instance: that the address of a kernel is taken instantiates it.
std::string with_instances(const std::string& source, const std::vector<std::string>& instances) {
    if (instances.empty()) return source;
    std::string out = source + "\n#line 1 \"instances of kernels\"\n";
    for (std::size_t k = 0; k < instances.size(); ++k)
        out += fmt::format("static void (*const ww_instance_{}_)() __attribute__((used)) = (void (*)())({});\n", k,
                           "&" + instances[k]);
    return out;
}

std::vector<std::string> list(const char* const* texts, std::size_t count) {
    return texts ? std::vector<std::string>(texts, texts + count) : std::vector<std::string>();
}

Result<std::string> compiled(const std::string& name, const char* source, const std::vector<std::string>& flags,
                             const std::vector<std::string>& instances) {
    compile::CompileRequest request;
    request.path = name;
    request.flags = flags;
    if (source)
        request.text = source;
    else if (!instances.empty()) {
        auto text = read_file(name, file_limit::source);
        if (!text) return text.error();
        request.text = std::move(*text);
    }
    if (request.text) request.text = with_instances(*request.text, instances);
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    auto out = compile::compile(request, options);
    if (!out) return std::move(out).error();
    return std::move(out->ptx);
}

std::string signature(const std::string& linkage_name) { return demangle(linkage_name); }

/// Loads the text as one more library of the process.
ww_status loaded(std::string name, std::string text, ww_module** out) {
    auto gpu = device();
    if (!gpu) return fail(gpu.error());
    auto code = (*gpu)->load(name, text);
    if (!code) return fail(code.error());
    auto made = std::make_unique<ww_module>();
    made->name = name;
    made->ptx = text;
    made->binary = cudart::Registry::get().add_library(std::move(name), std::move(text));
    std::call_once(made->binary->here().once, [&] {
        made->binary->arch = compile::ptx_arch(made->ptx);
        made->binary->here().module = std::move(*code);
    });
    Json kernels = Json::array();
    for (const auto& k : made->binary->module()->kernels())
        kernels.push_back({{"name", k.name}, {"signature", signature(k.name)}});
    made->json = written({{"kernels", std::move(kernels)}});
    *out = made.release();
    return done();
}

/// Of a parameter that the source declares as a pointer to elements of known size: what it is, and what to pass.
Json describe(const device::Parameter& p, const launch::Declared& declared) {
    Json out{{"type", p.type}, {"size", p.size}};
    if (declared.element_bytes.empty()) return out;
    out["element_bytes"] = declared.element_bytes;
    out["declared"] = launch::elements_wanted(declared);
    out["element"] = launch::element_to_pass(declared);
    return out;
}

std::string describe(const device::KernelInfo& k, const std::string& source) {
    const auto declared = launch::declared_parameters(k.name, k.parameters.size(), source);
    Json parameters = Json::array();
    for (std::size_t i = 0; i < declared.size(); ++i) parameters.push_back(describe(k.parameters[i], declared[i]));
    Json out;
    out["name"] = k.name;
    out["signature"] = signature(k.name);
    out["parameters"] = std::move(parameters);
    out["registers"] = k.registers;
    out["registers_estimated"] = k.registers_source == record::kEstimated;
    out["registers_source"] = k.registers_source;
    out["static_shared"] = k.static_shared;
    out["local"] = k.local;
    out["max_threads"] = k.max_threads;
    out["line_information"] = k.has_line_information;
    return written(out);
}

}  // namespace
}  // namespace warpwright::capi

using namespace warpwright;

ww_status ww_compile(const char* name, const char* source, const char* const* flags, size_t flag_count,
                     const char* const* instances, size_t instance_count, ww_module** module) {
    const cudart::HostClock::Call call;
    if (!name || !module) return capi::fail(capi::usage("ww_compile needs a name and a place for the module"));
    auto ptx = capi::compiled(name, source, capi::list(flags, flag_count), capi::list(instances, instance_count));
    if (!ptx) return capi::fail(ptx.error());
    std::string text;
    if (source)
        text = source;
    else if (auto read = read_file(name, file_limit::source))
        text = std::move(*read);
    const ww_status status = capi::loaded(name, std::move(*ptx), module);
    if (status == WW_OK) (*module)->source = std::move(text);
    return status;
}

ww_status ww_load_ptx(const char* name, const char* text, ww_module** module) {
    const cudart::HostClock::Call call;
    if (!name || !text || !module) return capi::fail(capi::usage("ww_load_ptx needs a name, a text and a place"));
    return capi::loaded(name, text, module);
}

void ww_module_release(ww_module* module) { delete module; }
const char* ww_module_ptx(ww_module* module) { return module->ptx.c_str(); }
const char* ww_module_json(ww_module* module) { return module->json.c_str(); }
const char* ww_kernel_json(ww_kernel* kernel) { return kernel->json.c_str(); }

ww_status ww_module_kernel(ww_module* module, const char* name, ww_kernel** kernel) {
    if (!module || !name || !kernel) return capi::fail(capi::usage("ww_module_kernel needs a module and a name"));
    std::vector<std::string> names;
    for (const auto& k : module->binary->module()->kernels()) names.push_back(k.name);
    auto found = compile::find_entry(names, name);
    if (!found) {
        Error error = found.error();
        if (error.where.file.empty()) error.where.file = module->name;
        return capi::fail(error);
    }
    std::lock_guard lock(module->mutex);
    auto& made = module->kernels[*found];
    if (!made) {
        // What the kernel needs is known once it is lowered, which may fail.
        auto info = module->binary->module()->kernel(*found);
        if (!info) {
            module->kernels.erase(*found);
            return capi::fail(info.error());
        }
        auto* known = cudart::Registry::get().library_kernel(*module->binary, *found);
        if (!known || cudart::Registry::get().ready(*known) != cudaSuccess) {
            module->kernels.erase(*found);
            return capi::fail(Error{ErrorKind::internal, "the kernel '" + *found + "' cannot be used", {}, ""});
        }
        made = std::make_unique<ww_kernel>();
        made->module = module;
        made->kernel = known;
        made->json = capi::describe(**info, module->source);
    }
    *kernel = made.get();
    return capi::done();
}
