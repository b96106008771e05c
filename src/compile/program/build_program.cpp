#include "compile/program/build_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compile/command.hpp"
#include "compile/kernel/failure.hpp"
#include "compile/process.hpp"
#include "compile/program/device_launches.hpp"
#include "compile/program/fatbin.hpp"
#include "compile/program/link_ptx.hpp"
#include "compile/program/texture_references.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

/// What nvcc's cuda_runtime.h brings along, and programs have come to use without an #include.
const std::vector<std::string> kHostHeaders{"-include", "stdlib.h", "-include", "string.h", "-include", "math.h",
                                            "-include", "time.h",   "-include", "limits.h", "-include", "utility"};

bool for_linker(const std::string& flag) {
    return flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,");
}

/// nvcc's words that mean nothing to clang's host side.
bool device_only(const std::string& flag) {
    std::string_view f = flag;
    if (f.starts_with("--")) f.remove_prefix(1);
    for (const char* word :
         {"-use_fast_math", "-fmad=", "-ftz=", "-prec-div=", "-prec-sqrt=", "-arch=", "-gpu-architecture=", "-lineinfo",
          "-generate-line-info", "-maxrregcount", "-expt-", "-extended-lambda"})
        if (f.starts_with(word)) return true;
    return false;
}

/// The host's side of a file; it reads the kernels too, and with them what they launch.
Result<void> compile_host(std::vector<std::string> command, const std::string& source, const std::string& object,
                          const std::string& folder, const Tools& tools, const CompileOptions& options) {
    const auto settings = compiler_settings(options);
    auto plain = command;
    plain.insert(plain.end(), {"-o", object, source});
    auto ran = run_process(plain, settings);
    const bool launches = ran && ran->exit_code != 0 && launches_on_device(ran->errors);
    if (launches) ran = run_with_device_launches(command, {}, source, object, folder, true, settings);
    if (!ran) return ran.error();
    if (!launches && ran->exit_code != 0 && refuses_shared_constructor(ran->errors)) {
        const auto more = own_libcu_first(tools.toolchain_dir);
        plain.insert(plain.begin() + 1, more.begin(), more.end());
        auto again = run_process(plain, settings);
        if (!again) return again.error();
        if (again->exit_code == 0 && again->signal == 0) ran = std::move(again);
    }
    if (options.log) *options.log += ran->errors;
    if (auto early = ended_early(*ran, options, source)) return std::move(*early);
    if (ran->exit_code == 0) return {};
    CompileRequest request;
    request.path = source;
    auto error = all_errors(ran->errors, request);
    return launches ? explained(std::move(error)) : error;
}

/// OpenMP for host code: clang's own, where its library is installed. Without it the pragmas are passed over, and our
/// omp.h says that there is one thread.
struct OpenMp {
    std::vector<std::string> compile, link;
};

Result<OpenMp> find_openmp(const Tools& tools, std::string* log) {
    for (const char* file : {"include/omp.h", "libomp.so"}) {
        auto found = run_process({tools.compiler, std::string("-print-file-name=") + file});
        if (!found) return found.error();
        if (!found->output.starts_with("/")) {
            if (log)
                *log += "warning: OpenMP's library is not installed (libomp-19-dev): host code runs on one thread\n";
            return OpenMp{{"-isystem", tools.toolchain_dir + "/include/warpwright/serial"}, {}};
        }
    }
    return OpenMp{{"-fopenmp"}, {"-fopenmp"}};
}

Error link_error(const std::string& errors) {
    std::string line = errors.substr(0, errors.find('\n'));
    for (std::size_t at = 0; at < errors.size();) {
        auto end = errors.find('\n', at);
        if (end == std::string::npos) end = errors.size();
        const auto here = errors.substr(at, end - at);
        if (here.find("undefined reference") != std::string::npos || here.find("cannot find") != std::string::npos) {
            line = here;
            break;
        }
        at = end + 1;
    }
    return failure(ErrorKind::input, "the program cannot be linked: " + line);
}

}  // namespace

Result<void> build_program(const WholeRequest& request, const CompileOptions& options) {
    auto tools = find_tools(options);
    if (!tools) return tools.error();
    const TemporaryFolder folder("build");
    if (folder.path().empty()) return failure(ErrorKind::internal, "no temporary folder", {}, "set TMPDIR");
    const std::string arch = request.arch.empty() ? "sm_80" : request.arch;
    // Where nobody asked for an architecture, the program is for whatever device model it meets.
    const bool any_device =
        request.arch.empty() && std::none_of(request.flags.begin(), request.flags.end(), [](const std::string& f) {
            return f.find("-arch=") != std::string::npos || f.find("-gpu-architecture=") != std::string::npos;
        });
    std::vector<std::string> flags, link;
    OpenMp openmp;
    bool all_cuda = false, separate = false;
    for (std::size_t i = 0; i < request.flags.size(); ++i) {
        const auto& f = request.flags[i];
        if (f == "-fopenmp") {
            auto found = find_openmp(*tools, options.log);
            if (!found) return found.error();
            openmp = *found;
            link.insert(link.end(), openmp.link.begin(), openmp.link.end());
        } else if (f == "-x" && i + 1 < request.flags.size() && request.flags[i + 1] == "cu") {
            all_cuda = true, ++i;
        } else if (f == "-dc" || f == "-rdc=true" || f == "--relocatable-device-code=true" || f == "-fgpu-rdc") {
            separate = true;
        } else {
            (for_linker(f) ? link : flags).push_back(f);
        }
    }
    std::vector<std::string> includes;
    for (const auto& d : request.include_dirs) includes.push_back(d);
    if (!request.cuda_path.empty()) includes.push_back(request.cuda_path + "/include");
    const auto is_cuda = [&](const std::string& source) {
        const auto extension = fs::path(source).extension();
        return extension == ".cu" || (all_cuda && extension != ".o" && extension != ".a" && extension != ".so");
    };
    const auto defines_of = [&](const std::string& source) {
        auto all = request.defines;
        auto folders = includes;
        for (const auto& f : flags)
            if (f.size() > 2 && f.starts_with("-I")) folders.push_back(f.substr(2));
        // A toolkit's own headers are not the program's.
        std::erase_if(folders, holds_toolkit_headers);
        for (auto& d : reference_defines(source, folders)) all.push_back(std::move(d));
        return all;
    };
    const auto device_code = [&](const std::string& source) -> Result<std::string> {
        CompileRequest device;
        device.path = source;
        device.arch = arch;
        device.defines = defines_of(source);
        device.include_dirs = includes;
        device.flags = kHostHeaders;
        device.flags.insert(device.flags.end(), flags.begin(), flags.end());
        if (separate) device.flags.push_back("-fgpu-rdc");
        // The device's side reads the host's functions too.
        if (openmp.compile.size() == 2)
            device.flags.insert(device.flags.end(), openmp.compile.begin(), openmp.compile.end());
        device.line_info = request.line_info;
        std::string log;
        CompileOptions o = options;
        o.log = &log;
        auto ptx = compile(device, o);
        if (!ptx) return ptx.error();
        return std::move(ptx->ptx);
    };
    // Device code that files share is linked, and each file's part of the program carries all of it.
    std::string linked;
    if (separate) {
        std::vector<std::string> modules;
        for (const auto& source : request.sources) {
            if (!is_cuda(source)) continue;
            if (std::error_code ec; !fs::is_regular_file(source, ec))
                return failure(ErrorKind::input, "there is no file '" + source + "'");
            auto ptx = device_code(source);
            if (!ptx) return ptx.error();
            modules.push_back(std::move(*ptx));
        }
        auto text = link_ptx(modules);
        if (!text) return text.error();
        linked = std::move(*text);
    }
    std::vector<std::string> objects;
    for (const auto& source : request.sources) {
        const std::string extension = fs::path(source).extension().string();
        if (std::error_code ec; !fs::is_regular_file(source, ec))
            return failure(ErrorKind::input, "there is no file '" + source + "'");
        if (extension == ".o" || extension == ".a" || extension == ".so") {
            objects.push_back(source);
            continue;
        }
        const std::string stem = folder.path() + "/" + std::to_string(objects.size());
        std::vector<std::string> host{tools->compiler, "-c", "-O2"};
        if (request.host_lines) host.insert(host.end(), {"-gline-tables-only", "-fno-optimize-sibling-calls"});
        for (const auto& d : is_cuda(source) ? defines_of(source) : request.defines) host.push_back("-D" + d);
        for (const auto& d : includes) host.push_back("-I" + d);
        if (is_cuda(source)) {
            auto ptx = separate ? Result<std::string>(linked) : device_code(source);
            if (!ptx) return ptx.error();
            std::ofstream(stem + ".fatbin", std::ios::binary) << write_fat_binary(*ptx, ptx_arch(*ptx), any_device);
            host.insert(host.end(), {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
                                     "--cuda-gpu-arch=" + arch, "-Wno-unknown-cuda-version", "-std=c++17", "-isystem",
                                     tools->toolchain_dir + "/include", "-include", "warpwright/cuda.h", "-Xclang",
                                     "-fcuda-include-gpubinary", "-Xclang", stem + ".fatbin"});
            // Where clang finds no toolkit it takes it for one of before 9.2, whose kernels were launched in another
            // way. (It knows no version above 12.5.)
            host.insert(host.end(), {"-Xclang", "-target-sdk-version=12.3"});
            host.insert(host.end(), kHostHeaders.begin(), kHostHeaders.end());
        } else {
            host.insert(host.end(), {"-isystem", tools->toolchain_dir + "/include"});
        }
        host.insert(host.end(), openmp.compile.begin(), openmp.compile.end());
        for (const auto& f : flags)
            if (!device_only(f)) host.push_back(f);
        host.push_back("-w");
        host = toolkits_last(host);
        if (is_cuda(source)) host.insert(host.end(), {"-idirafter", own_libcu(tools->toolchain_dir)});
        auto covered = cover_toolkits(host, tools->toolchain_dir, folder.path());
        if (!covered) return covered.error();
        host.insert(host.end(), covered->begin(), covered->end());
        if (auto ok = compile_host(host, source, stem + ".o", folder.path(), *tools, options); !ok) return ok;
        objects.push_back(stem + ".o");
    }
    std::vector<std::string> command{tools->compiler, "-o", request.program};
    command.insert(command.end(), objects.begin(), objects.end());
    command.insert(command.end(), link.begin(), link.end());
    command.insert(command.end(), {"-L" + request.runtime_folder, "-l:libcudart.so.13",
                                   "-Wl,-rpath," + request.runtime_folder, "-lm", "-lpthread"});
    auto ran = run_process(command, compiler_settings(options));
    if (!ran) return ran.error();
    if (auto early = ended_early(*ran, options, request.program)) return std::move(*early);
    if (ran->exit_code != 0 || ran->signal != 0) return link_error(ran->errors);
    return {};
}

}  // namespace warpwright::compile
