// Sources for OpenCL devices are passed on as text with the definitions in front, since their platforms compile them.
// The compilers that were used are collected for the description of the environment.
#include "lab/sweep/target.hpp"

#include <filesystem>
#include <sstream>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"

namespace warpwright::lab {

namespace {

/// For the emulated device: by clang; on a machine without it by NVRTC, where there is one, for the architecture that
/// clang compiles for. The compiler is then among those that are told.
Result<compile::CompiledPtx> compile_for_emulation(const compile::CompileRequest& request,
                                                   const compile::CompileOptions& options) {
    auto compiled = compile::compile(request, options);
    if (compiled || compiled.error().kind != ErrorKind::no_device || request.language != "cuda") return compiled;
    static const auto nvrtc = compile::Nvrtc::open(compile::NvrtcSearch::of_machine(), 0);
    constexpr int kCapability = 80;  // CompileRequest::arch
    if (!nvrtc || (*nvrtc)->architecture(kCapability).empty()) return compiled;
    return (*nvrtc)->compile(request, (*nvrtc)->architecture(kCapability), options);
}

}  // namespace

Result<std::string> compile_to_ptx(const std::string& path, const std::vector<std::string>& defines,
                                   const std::vector<std::string>& includes, Target& target,
                                   std::vector<std::string>* warnings) {
    namespace fs = std::filesystem;
    std::string extension = fs::path(path).extension().string();
    if (auto ok = check_regular_file(path); !ok) return std::move(ok).error();
    if (extension == ".ptx") return read_file(path, file_limit::source);
    if (extension != ".cu" && extension != ".cl")
        return Error{ErrorKind::usage, "'" + path + "' is not a kernel file by its name", Location{},
                     "CUDA C++ (.cu), OpenCL C (.cl) or PTX (.ptx)"};
    if (target.opencl) {
        if (extension != ".cl")
            return Error{ErrorKind::usage, "'" + path + "' is not OpenCL C, and an OpenCL device takes nothing else",
                         Location{}, "a .cl file, or --device emulated"};
        auto source = read_file(path, file_limit::source);
        if (!source) return std::move(source).error();
        std::ostringstream text;
        for (const std::string& define : defines) {
            const std::size_t equals = define.find('=');
            text << "#define " << define.substr(0, equals) << ' '
                 << (equals == std::string::npos ? "1" : define.substr(equals + 1)) << '\n';
        }
        text << "#line 1 \"" << path << "\"\n" << *source;
        return text.str();
    }
    compile::CompileRequest request;
    request.path = path;
    request.language = extension == ".cl" ? "opencl" : "cuda";
    request.defines = defines;
    request.include_dirs = includes;
    request.may_need_host_headers = request.language == "cuda";
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    options.warnings = warnings;
    if (target.seconds > 0) options.timeout_s = target.seconds;
    options.processor_s = target.processor_seconds;
    auto compiled = target.compute_capability == 0
                        ? compile_for_emulation(request, options)
                        : compile::compile_for_device(request, target.compute_capability, target.nvrtc.get(), options);
    if (!compiled) return std::move(compiled).error();
    if (!compiled->compiler.empty()) {
        std::lock_guard lock(target.mutex);
        target.compilers.insert(compiled->compiler);
    }
    return std::move(compiled->ptx);
}

void hand_down_headers() {
    compile::CompileRequest request;
    request.may_need_host_headers = true;
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    if (!options.cache_dir.empty()) compile::hand_down_headers(request, options);
}

std::string compiling_tools() {
    namespace fs = std::filesystem;
    auto tools = compile::find_tools({});
    if (!tools) return "";
    std::set<std::string> files{tools->compiler, tools->libclc, tools->pass};
    std::error_code ec;
    for (const std::string& folder : tools->headers)
        for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
            files.insert(it->path().string());
    std::ostringstream out;
    for (const std::string& file : files) {
        std::error_code one;
        const auto size = fs::is_regular_file(file, one) ? fs::file_size(file, one) : 0;
        out << file << ' ' << size << ' ' << fs::last_write_time(file, one).time_since_epoch().count() << '\n';
    }
    return out.str();
}

std::string compilers_text(Target& target) {
    std::lock_guard lock(target.mutex);
    std::string out;
    for (const std::string& compiler : target.compilers)
        out += (out.empty() ? "kernels compiled by " : "; by ") + compiler;
    return out;
}

}  // namespace warpwright::lab
