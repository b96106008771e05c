// The one place that knows clang's flags: what nvcc's options mean for it, and where our headers and libclc are.
#include "compile/kernel/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "compile/failure.hpp"
#include "compile/kernel/warnings.hpp"
#include "compile/process.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/data_folders.hpp"
#include "support/settings.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

std::string install_clang() {
    return fmt::format("install the package clang-19, or set {} to a clang++ of version 19",
                       settings::variable(Setting::clang));
}

bool is_arch(const std::string& arch) {
    if (!arch.starts_with("sm_") || arch.size() < 5 || arch.size() > 7) return false;
    for (std::size_t i = 3; i < arch.size(); ++i)
        if (!(arch[i] >= '0' && arch[i] <= '9') && !(i + 1 == arch.size() && arch[i] == 'a')) return false;
    return true;
}

/// The settings that result from the flags, with nvcc's spellings resolved.
struct Settings {
    std::string arch;
    bool contract = true, flush = false, exact_division = true, exact_root = true, fast_intrinsics = false;
    std::vector<std::string> rest;
};

bool truth(std::string_view value) { return value == "true" || value == "1" || value == "on"; }

Settings read_flags(const CompileRequest& request) {
    Settings s;
    s.arch = request.arch;
    for (std::string flag : request.flags) {
        std::string_view f = flag;
        if (f.starts_with("--")) f.remove_prefix(1);
        const auto value = f.find('=') == std::string_view::npos ? std::string_view() : f.substr(f.find('=') + 1);
        if (f == "-use_fast_math") {
            s.flush = s.fast_intrinsics = true;
            s.exact_division = s.exact_root = false;
        } else if (f.starts_with("-fmad=")) {
            s.contract = truth(value);
        } else if (f.starts_with("-ftz=")) {
            s.flush = truth(value);
        } else if (f.starts_with("-prec-div=")) {
            s.exact_division = truth(value);
        } else if (f.starts_with("-prec-sqrt=")) {
            s.exact_root = truth(value);
        } else if (f.starts_with("-arch=") || f.starts_with("-gpu-architecture=")) {
            s.arch = value;
            if (s.arch.starts_with("compute_")) s.arch = "sm_" + s.arch.substr(8);
        } else if (f == "-lineinfo" || f == "-generate-line-info" || f.starts_with("-maxrregcount") ||
                   f.starts_with("-expt-") || f == "-extended-lambda") {
            // Lines are on already, registers are virtual, and clang needs no switch for the extensions.
        } else {
            s.rest.push_back(std::move(flag));
        }
    }
    return s;
}

/// What clang's optimiser is not to do because nvcc does not, and the limits within which nvcc unrolls loops; the rest
/// is our pass's (toolchain/pass). docs/compile.md says what each is for.
std::vector<std::string> optimiser_flags() {
    // A loop that may run for ever is one: nvcc draws no conclusions from the language's promise that it ends.
    std::vector<std::string> flags{"-fno-finite-loops"};
    for (const char* flag :
         {"-replexitval=never", "-sink-common-insts=0", "-disable-block-placement", "-unroll-threshold=430",
          "-pragma-unroll-threshold=65536", "-unroll-allow-partial=0", "-unroll-runtime=0", "-unroll-max-upperbound=0",
          "-unroll-peel-max-count=0",
          // What is stored as one type may have changed what is read as another. (Without -fstrict-aliasing clang would
          // not tell our passes of the fields that are copied with a structure.)
          "-enable-tbaa=0",
          // Loads of what nobody writes are made once however far apart they stand.
          "-memdep-block-scan-limit=1000",
          // Our pass chooses which sides of branches are computed in any case (sides.cpp).
          "-two-entry-phi-node-folding-threshold=0", "-phi-node-folding-threshold=0", "-speculate-one-expensive-inst=0",
          "-spec-exec-max-speculation-cost=0", "-spec-exec-max-not-hoisted=0", "-bonus-inst-threshold=4",
          // What only a branch needs stays where the source has it.
          "-instcombine-code-sinking=0",
          // What a round has written the next one reads again.
          "-enable-load-in-loop-pre=0",
          // The back end moves nothing out of loops: constants and shared arrays are named where they are used.
          "-disable-machine-licm"})
        flags.insert(flags.end(), {"-mllvm", flag});
    // The end of a variable's life is nothing that a `break` has to pass by: nvcc's front end marks no lives.
    flags.insert(flags.end(), {"-Xclang", "-disable-lifetime-markers"});
    return flags;
}

}  // namespace

Result<std::string> find_toolchain() {
    std::string tried;
    for (const std::string& candidate : data_folders(Data::toolchain)) {
        std::error_code ec;
        if (fs::exists(candidate + "/include/warpwright/cuda.h", ec)) return candidate;
        tried += (tried.empty() ? "" : ", ") + candidate;
    }
    return failure(ErrorKind::no_device, fmt::format("our CUDA headers are not there (looked in {})", tried), {},
                   fmt::format("set {} to the folder that holds include/warpwright/cuda.h",
                               settings::variable(Setting::toolchain)));
}

Result<Tools> find_tools(const CompileOptions& options) {
    Tools tools;
    if (const std::string name = options.compiler.empty() ? settings::text(Setting::clang) : options.compiler;
        !name.empty()) {
        tools.compiler = find_program(name);
        if (tools.compiler.empty())
            return failure(ErrorKind::no_device, fmt::format("compiler '{}' not found", name), {}, install_clang());
    } else {
        for (const char* name : {"clang++-19", "/usr/lib/llvm-19/bin/clang++"})
            if (tools.compiler.empty()) tools.compiler = find_program(name);
        if (tools.compiler.empty())
            return failure(ErrorKind::no_device, "no clang++ of version 19 found", {}, install_clang());
    }
    if (options.toolchain_dir.empty()) {
        auto found = find_toolchain();
        if (!found) return found.error();
        tools.toolchain_dir = *found;
    } else {
        tools.toolchain_dir = options.toolchain_dir;
        std::error_code ec;
        if (!fs::exists(tools.toolchain_dir + "/include/warpwright/cuda.h", ec))
            return failure(ErrorKind::no_device, fmt::format("{} does not hold our CUDA headers", tools.toolchain_dir));
    }
    tools.headers = {tools.toolchain_dir + "/include"};
    // An installed toolchain has the headers that the build made (cmake/made_headers.cmake) with the others.
    if (std::error_code ec; !fs::exists(tools.headers[0] + "/host_defines.h", ec))
        tools.headers.emplace_back(WARPWRIGHT_MADE_HEADERS);
    std::string folder = options.libclc_dir.empty() ? settings::text(Setting::libclc) : options.libclc_dir;
    if (folder.empty()) folder = "/usr/lib/clc";
    tools.libclc = folder + "/nvptx64--nvidiacl.bc";
    // An installed pass lies in a known place beside the headers; otherwise it is in the build tree.
    for (const std::string& pass :
         {tools.toolchain_dir + "/" + WARPWRIGHT_CLANG_PASS_INSTALLED, std::string(WARPWRIGHT_CLANG_PASS_BUILT)})
        if (std::error_code ec; tools.pass.empty() && fs::exists(pass, ec)) tools.pass = pass;
    return tools;
}

std::vector<std::string> header_flags(const Tools& tools) {
    std::vector<std::string> flags;
    for (const std::string& folder : tools.headers) flags.insert(flags.end(), {"-isystem", folder});
    return flags;
}

std::vector<std::string> signed_characters(const std::vector<std::string>& user_flags) {
    if (std::find(user_flags.begin(), user_flags.end(), "-fshort-wchar") != user_flags.end()) return {"-fsigned-char"};
    return {"-fsigned-char", "-Xclang", "-fwchar-type=int", "-Xclang", "-fsigned-wchar"};
}

const std::vector<std::string>& host_headers() {
    static const std::vector<std::string> flags{"-include", "warpwright/host_headers.h"};
    return flags;
}

std::string arch_list_flag(const std::string& arch) {
    std::string digits;
    for (const char c : arch)
        if (c >= '0' && c <= '9') digits += c;
    return "-D__CUDA_ARCH_LIST__=" + digits + "0";
}

std::string architecture_of(const CompileRequest& request) { return read_flags(request).arch; }

Result<std::vector<std::string>> compile_flags(const CompileRequest& request, const Tools& tools) {
    const Settings settings = read_flags(request);
    if (!is_arch(settings.arch))
        return failure(ErrorKind::usage, fmt::format("'{}' is not a GPU architecture", settings.arch), {},
                       "such as sm_80");
    std::vector<std::string> flags;
    const auto add = [&](std::initializer_list<std::string> more) { flags.insert(flags.end(), more); };
    if (request.language == "cuda") {
        add({"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=" + settings.arch,
             "-Wno-unknown-cuda-version", "-Wno-invalid-constexpr", "-Wno-pass-failed", "--cuda-feature=+ptx85",
             "-std=c++17", arch_list_flag(settings.arch)});
        const auto ours = header_flags(tools);
        flags.insert(flags.end(), ours.begin(), ours.end());
        add({"-include", "warpwright/cuda.h"});
        for (const auto& as_nvcc :
             {signed_characters(request.flags), optimiser_flags(), nvcc_warning_flags(), accepted_by_nvcc_flags()})
            flags.insert(flags.end(), as_nvcc.begin(), as_nvcc.end());
        if (settings.flush) add({"-fcuda-flush-denormals-to-zero"});
        if (settings.fast_intrinsics) add({"-DWARPWRIGHT_FAST_MATH=1", "-D__FAST_MATH__=1"});
    } else if (request.language == "opencl") {
        add({"-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-march=" + settings.arch, "-Xclang",
             "-target-feature", "-Xclang", "+ptx85"});
        // As for CUDA: from DWARF 5 on, names of files are in two parts, which is no PTX.
        if (request.line_info) add({"-gdwarf-2"});
        const auto as_nvcc = optimiser_flags();
        flags.insert(flags.end(), as_nvcc.begin(), as_nvcc.end());
    } else {
        return failure(ErrorKind::usage, fmt::format("unknown language '{}'", request.language), {}, "cuda or opencl");
    }
    // "fast" alone would fuse inside our math functions too, whose pragmas mark their roundings.
    add({"-S", "-O3", settings.contract ? "-ffp-contract=fast-honor-pragmas" : "-ffp-contract=off", "-fno-math-errno"});
    if (!settings.contract) add({"-DWARPWRIGHT_NO_CONTRACT=1"});
    if (!settings.exact_division) add({"-mllvm", "-nvptx-prec-divf32=0"});
    if (!settings.exact_root) add({"-mllvm", "-nvptx-prec-sqrtf32=0"});
    // Files keep the names by which they were given; tidy() removes the "./" again.
    if (request.line_info) add({"-gline-tables-only", "-fdebug-compilation-dir=."});
    for (const std::string& define : request.defines) add({"-D" + define});
    for (const std::string& folder : request.include_dirs) add({"-I" + folder});
    // This is enough for a page of errors; one error in a template may cause thousands.
    flags.push_back("-ferror-limit=50");
    // Of one file of several: OpenCL's compiler knows no such flag, and needs none.
    std::copy_if(settings.rest.begin(), settings.rest.end(), std::back_inserter(flags),
                 [&](const std::string& flag) { return request.language == "cuda" || flag != "-fgpu-rdc"; });
    flags = toolkits_last(flags);
    if (request.language == "cuda") {
        const auto last = ours_last(tools.toolchain_dir);
        flags.insert(flags.end(), last.begin(), last.end());
    }
    return flags;
}

std::vector<std::string> library_flags(const Tools& tools) {
    return {"-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools.libclc};
}

std::vector<std::string> pass_flags(const Tools& tools) {
    return tools.pass.empty() ? std::vector<std::string>{} : std::vector<std::string>{"-fpass-plugin=" + tools.pass};
}

bool refuses_pass(const std::string& diagnostics) {
    return diagnostics.find("unable to load plugin") != std::string::npos;
}

bool lacks_names(const std::string& diagnostics) {
    return diagnostics.find("undeclared identifier") != std::string::npos ||
           diagnostics.find("no matching function for call to") != std::string::npos;
}

std::vector<std::string> short_address_flags() { return {"-fcuda-short-ptr", "-mllvm", "-nvptx-short-ptr"}; }

ProcessSettings compiler_settings(const CompileOptions& options) {
    ProcessSettings settings;
    // Include paths from outside would change the PTX without being part of the cache's key.
    settings.without = {"CPATH",     "C_INCLUDE_PATH",      "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH",
                        "CUDA_PATH", "CCC_OVERRIDE_OPTIONS"};
    settings.seconds = options.timeout_s;
    settings.processor_seconds = options.processor_s;
    settings.output_bytes = std::size_t{4} << 20;
    settings.file_bytes = std::size_t{2} << 30;
    settings.memory_bytes = std::size_t{16} << 30;
    return settings;
}

std::optional<Error> ended_early(const ProcessResult& ran, const CompileOptions& options, const std::string& file) {
    if (ran.timed_out)
        return failure(ErrorKind::limit, fmt::format("the compiler was stopped after {:.6g} s", options.timeout_s),
                       file, "--timeout allows more");
    if (ran.signal != 0)
        return failure(ErrorKind::internal, fmt::format("the compiler was ended by signal {}", ran.signal), file);
    return std::nullopt;
}

std::vector<std::string> parse_dependencies(const std::string& rule) {
    std::vector<std::string> files;
    std::string word;
    const auto colon = rule.find(": ");
    bool ended = false;
    for (std::size_t i = colon == std::string::npos ? rule.size() : colon + 2; i <= rule.size() && !ended; ++i) {
        const char c = i < rule.size() ? rule[i] : '\n';
        const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
        if (c == '\\' && (next == '\n' || next == ' ' || next == '#' || next == '\\')) {
            ++i;
            if (next != '\n') {
                word += next;
                continue;
            }
        } else if (c == '$' && next == '$') {
            ++i;
            word += '$';
            continue;
        } else if (c == '\n') {
            ended = true;
        } else if (c != ' ') {
            word += c;
            continue;
        }
        if (!word.empty()) files.push_back(std::move(word));
        word.clear();
    }
    return files;
}

}  // namespace warpwright::compile
