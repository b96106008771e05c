// One build from its flags to its program: device code, fat binary, host objects, linking. nvcc's options are sorted
// here into those of the device's side, the host's side and the linker.
#include "compile/program/build_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compile/failure.hpp"
#include "compile/kernel/command.hpp"
#include "compile/kernel/warnings.hpp"
#include "compile/process.hpp"
#include "compile/program/device_link.hpp"
#include "compile/program/fatbin.hpp"
#include "compile/program/host_object.hpp"
#include "compile/program/link_ptx.hpp"
#include "compile/program/separate_unit.hpp"
#include "compile/program/texture_references.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/libraries.hpp"
#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

bool for_linker(const std::string& flag) {
    return flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,");
}

/// Options of nvcc that have no meaning for clang's host side.
bool device_only(const std::string& flag) {
    std::string_view f = flag;
    if (f.starts_with("--")) f.remove_prefix(1);
    for (const char* word :
         {"-use_fast_math", "-fmad=", "-ftz=", "-prec-div=", "-prec-sqrt=", "-arch=", "-gpu-architecture=", "-lineinfo",
          "-generate-line-info", "-maxrregcount", "-expt-", "-extended-lambda"})
        if (f.starts_with(word)) return true;
    return false;
}

/// Warnings come from the device's side, which reads all of a file. One that is to be an error stays a warning: the
/// program would be built by nvcc and the host's compiler, whose warnings are others.
bool asks_for_warnings(const std::string& flag) {
    return (flag.starts_with("-W") && !flag.starts_with("-Werror") && flag.find(',') == std::string::npos) ||
           flag == "-w" || flag == "-pedantic";
}

/// What kernels are compiled for. The host's side is told the same, since the names of kernels may depend on it
/// (__CUDA_ARCH_LIST__ is part of the names of CUB's).
std::string arch_of(const WholeRequest& request) {
    CompileRequest device;
    device.arch = request.arch.empty() ? "sm_80" : request.arch;
    device.flags = request.flags;
    return architecture_of(device);
}

/// OpenMP for host code: clang's own, where its library is installed. Without it the pragmas are ignored, and our omp.h
/// reports one thread.
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

/// Of a function of one of our libraries that the linker did not find: the flag that adds it. Of one of NVIDIA's other
/// libraries: that there is none. Of one that is there twice: why that may be.
std::string link_hint(const std::string& line) {
    constexpr std::string_view kMark = "undefined reference to `";
    const auto mark = line.find(kMark);
    if (line.find("multiple definition") != std::string::npos)
        return "two of the files define it: one may include the other";
    if (mark == std::string::npos) return {};
    const std::string_view function = std::string_view(line).substr(mark + kMark.size());
    // By the names' beginnings; the functions of the driver library are "cu" and a capital letter.
    constexpr std::pair<std::string_view, std::string_view> kBeginnings[] = {
        {"cublasLt", "cublasLt"}, {"cublas", "cublas"}, {"curand", "curand"},     {"cufft", "cufft"},
        {"cusolver", "cusolver"}, {"cupti", "cupti"},   {"nvrtc", "nvrtc"},       {"nvJitLink", "nvJitLink"},
        {"nvml", "nvidia-ml"},    {"nccl", "nccl"},     {"cusparse", "cusparse"}, {"cudnn", "cudnn"}};
    const bool other_sparse = function.starts_with("cusparseLt");
    for (const auto& [beginning, library] : kBeginnings)
        if (function.starts_with(beginning) && !other_sparse && newest_drop_in(library))
            return fmt::format("add -l{}", library);
    if (function.starts_with("omp_")) return "add -Xcompiler -fopenmp";
    for (const std::string_view other : {"cusparseLt", "npp", "nvgraph"})
        if (function.starts_with(other))
            return fmt::format("{} is of a library of NVIDIA's that Warpwright does not have", other);
    if (function.size() > 2 && function.starts_with("cu") && function[2] >= 'A' && function[2] <= 'Z')
        return "add -lcuda";
    return "if it is defined in another file, name that too: warpwright build FILE... -o PROGRAM";
}

Error link_error(const std::string& errors) {
    if (errors.find("undefined reference to `main'") != std::string::npos)
        return failure(ErrorKind::input, "the program has no main()", {},
                       "a file of kernels alone: warpwright launch FILE --kernel NAME runs one of them");
    if (errors.find("__warpwright_linked_code") != std::string::npos)
        return failure(ErrorKind::input, "files were compiled with -dc, and their device code is not linked", {},
                       "warpwright build -dlink makes an object of it");
    std::string line = errors.substr(0, errors.find('\n'));
    for (std::size_t at = 0; at < errors.size();) {
        auto end = errors.find('\n', at);
        if (end == std::string::npos) end = errors.size();
        const auto here = errors.substr(at, end - at);
        if (here.find("undefined reference") != std::string::npos || here.find("cannot find") != std::string::npos ||
            here.find("multiple definition") != std::string::npos) {
            line = here;
            // A kernel's function on the host is the compiler's own matter.
            constexpr std::string_view kStub = "__device_stub__";
            for (std::size_t stub; (stub = line.find(kStub)) != std::string::npos;) line.erase(stub, kStub.size());
            break;
        }
        at = end + 1;
    }
    return failure(ErrorKind::input, "the program cannot be linked: " + line, {}, link_hint(line));
}

/// A folder where the linker and the program find libraries. A comma in its name is no end of an option.
void add_library_folder(std::vector<std::string>& command, const std::string& folder) {
    command.insert(command.end(), {"-L" + folder, "-Xlinker", "-rpath", "-Xlinker", operand(folder)});
}

bool is_built(const std::string& extension) { return extension == ".o" || extension == ".a" || extension == ".so"; }

/// One program or shared library on its way from its sources.
class ProgramBuild {
public:
    ProgramBuild(const WholeRequest& request, const CompileOptions& options, Tools tools, std::string folder);

    Result<void> read_flags();
    Result<void> link_device_code();
    Result<void> compile_sources();
    Result<void> link();
    bool compiles_only() const { return compile_only_; }
    bool links_device_code_only() const { return device_link_only_; }
    bool archives() const { return archive_; }
    /// One source, to the file that was to be the program.
    Result<void> compile_one();
    /// An object with the linked device code of the sources' and objects' parts.
    Result<void> link_device_only();
    Result<void> archive();

private:
    Result<void> use_openmp();
    Result<void> link_parts();
    bool is_cuda(const std::string& source) const;
    std::vector<std::string> defines_of(const std::string& source) const;
    /// What tells a file of the program from the same file compiled otherwise.
    std::vector<std::string> about(const std::string& source) const;
    Result<std::string> device_code(const std::string& source) const;
    Result<void> compile_source(const std::string& source, const std::string& object, const std::string& stem) const;
    /// What the host's side of a .cu file is compiled with besides: its kernels are in a file that is embedded.
    void add_cuda(std::vector<std::string>& command, const std::string& fat_binary) const;

    const WholeRequest& request_;
    const CompileOptions& options_;
    Tools tools_;
    std::string folder_;  ///< for files on the way
    std::string arch_;
    bool any_device_ = false;                   ///< the program is for whatever device model it meets
    bool all_cuda_ = false, separate_ = false;  ///< -x cu; -rdc=true
    bool compile_only_ = false;                 ///< -c
    bool device_link_only_ = false;             ///< -dlink
    bool archive_ = false;                      ///< -lib
    bool keeps_parts_ = false;                  ///< device code that files share stays in each object, unlinked
    bool shared_ = false;                       ///< -shared: a library
    bool per_thread_ = false;                   ///< stream 0 is each thread's own
    OpenMp openmp_;
    std::vector<std::string> includes_, flags_, host_flags_, link_, objects_;
    std::string linked_;  ///< device code of all files, where it is separate
};

ProgramBuild::ProgramBuild(const WholeRequest& request, const CompileOptions& options, Tools tools, std::string folder)
    : request_(request),
      options_(options),
      tools_(std::move(tools)),
      folder_(std::move(folder)),
      arch_(arch_of(request)),
      includes_(request.include_dirs) {
    // Where nobody asked for an architecture, the program is for whatever device model it meets.
    any_device_ =
        request.arch.empty() && std::none_of(request.flags.begin(), request.flags.end(), [](const std::string& f) {
            return f.find("-arch=") != std::string::npos || f.find("-gpu-architecture=") != std::string::npos;
        });
    if (!request.cuda_path.empty()) includes_.push_back(request.cuda_path + "/include");
}

Result<void> ProgramBuild::use_openmp() {
    auto found = find_openmp(tools_, options_.log);
    if (!found) return found.error();
    openmp_ = std::move(*found);
    link_.insert(link_.end(), openmp_.link.begin(), openmp_.link.end());
    return {};
}

/// Sorts the flags by who they are for.
Result<void> ProgramBuild::read_flags() {
    for (std::size_t i = 0; i < request_.flags.size(); ++i) {
        const auto& f = request_.flags[i];
        if (f == "-fopenmp") {
            if (auto ok = use_openmp(); !ok) return ok;
        } else if (f == "-x" && i + 1 < request_.flags.size() && request_.flags[i + 1] == "cu") {
            all_cuda_ = true, ++i;
        } else if (f == "-shared" || f == "--default-stream=per-thread") {
            (f == "-shared" ? shared_ : per_thread_) = true;
        } else if (f == "-c" || f == "--compile") {
            compile_only_ = true;
        } else if (f == "-dlink" || f == "-lib") {
            (f == "-lib" ? archive_ : device_link_only_) = true;
        } else if (f == "-dc" || f == "-rdc=true" || f == "--relocatable-device-code=true" || f == "-fgpu-rdc") {
            separate_ = true;
        } else {
            (for_linker(f) ? link_ : flags_).push_back(f);
        }
    }
    for (const auto& f : request_.host_flags) {
        if (f == "-fopenmp") {
            if (auto ok = use_openmp(); !ok) return ok;
            continue;
        }
        // What sanitizers and threads need is compiled in, and linked.
        if (for_linker(f) || f == "-pthread" || f.starts_with("-fsanitize=")) link_.push_back(f);
        if (!for_linker(f)) host_flags_.push_back(f);
    }
    if (compile_only_ + device_link_only_ + archive_ + shared_ > 1 && !(shared_ && device_link_only_))
        return failure(ErrorKind::usage, "-c, -dlink, -lib and -shared exclude each other", {}, "one kind per command");
    keeps_parts_ = separate_ && (compile_only_ || device_link_only_ || archive_);
    return {};
}

bool ProgramBuild::is_cuda(const std::string& source) const {
    const auto extension = fs::path(source).extension().string();
    return extension == ".cu" || (all_cuda_ && !is_built(extension));
}

std::vector<std::string> ProgramBuild::defines_of(const std::string& source) const {
    auto all = request_.defines;
    auto folders = includes_;
    for (const auto& f : flags_)
        if (f.size() > 2 && f.starts_with("-I")) folders.push_back(f.substr(2));
    // A toolkit's own headers are not the program's.
    std::erase_if(folders, holds_toolkit_headers);
    for (auto& d : reference_defines(source, folders)) all.push_back(std::move(d));
    return all;
}

std::vector<std::string> ProgramBuild::about(const std::string& source) const {
    auto all = defines_of(source);
    all.insert(all.end(), includes_.begin(), includes_.end());
    all.insert(all.end(), flags_.begin(), flags_.end());
    return all;
}

Result<std::string> ProgramBuild::device_code(const std::string& source) const {
    CompileRequest device;
    device.path = source;
    device.arch = arch_;
    device.defines = defines_of(source);
    device.include_dirs = includes_;
    device.flags = host_headers();
    device.flags.insert(device.flags.end(), flags_.begin(), flags_.end());
    for (const auto& f : host_flags_)
        if (asks_for_warnings(f)) device.flags.push_back(f);
    if (separate_)
        for (auto& word : device_unit_words(source, about(source))) device.flags.push_back(std::move(word));
    // The device's side reads the host's functions too.
    if (openmp_.compile.size() == 2)
        device.flags.insert(device.flags.end(), openmp_.compile.begin(), openmp_.compile.end());
    device.line_info = request_.line_info;
    std::string log;
    CompileOptions o = options_;
    o.log = &log;
    auto ptx = compile(device, o);
    if (!ptx) return ptx.error();
    return std::move(ptx->ptx);
}

/// Device code that files share is linked, and each file's part of the program carries all of it.
Result<void> ProgramBuild::link_device_code() {
    if (!separate_ || keeps_parts_) return {};
    std::vector<std::string> modules;
    for (const auto& source : request_.sources) {
        if (!is_cuda(source)) continue;
        if (auto ok = check_regular_file(source); !ok) return ok;
        auto ptx = device_code(source);
        if (!ptx) return ptx.error();
        modules.push_back(std::move(*ptx));
    }
    auto text = link_ptx(modules);
    if (!text) return text.error();
    linked_ = std::move(*text);
    return {};
}

Result<void> ProgramBuild::compile_sources() {
    for (const auto& source : request_.sources) {
        if (auto ok = check_regular_file(source); !ok) return ok;
        if (is_built(fs::path(source).extension().string())) {
            objects_.push_back(source);
            continue;
        }
        const std::string stem = folder_ + "/" + std::to_string(objects_.size()), object = stem + ".o";
        if (auto ok = compile_source(source, object, stem); !ok) return ok;
        objects_.push_back(object);
    }
    return {};
}

Result<void> ProgramBuild::compile_one() {
    if (request_.sources.size() != 1)
        return failure(ErrorKind::usage, fmt::format("-c and {} sources", request_.sources.size()), {},
                       "one object per command");
    if (auto ok = check_regular_file(request_.sources[0]); !ok) return ok;
    return compile_source(request_.sources[0], request_.program, folder_ + "/0");
}

Result<void> ProgramBuild::link_device_only() {
    if (auto ok = compile_sources(); !ok) return ok;
    auto parts = device_parts(objects_);
    if (!parts) return parts.error();
    return link_device_objects(*parts, request_.program, folder_, tools_, options_);
}

Result<void> ProgramBuild::archive() {
    if (auto ok = compile_sources(); !ok) return ok;
    return make_archive(objects_, request_.program);
}

/// Objects and archives may hold parts of device code that nobody has linked yet, as nvcc does when it links.
Result<void> ProgramBuild::link_parts() {
    auto files = objects_;
    std::erase_if(files, [](const std::string& f) { return fs::path(f).extension() == ".so"; });
    std::vector<std::string> folders;
    for (const auto& word : link_)
        if (word.starts_with("-L")) folders.push_back(word.substr(2));
    for (const auto& word : link_)
        for (const auto& folder : folders)
            if (const auto file = folder + "/lib" + word.substr(2) + ".a"; word.starts_with("-l") && fs::exists(file)) {
                files.push_back(file);
                break;
            }
    auto parts = device_parts(files);
    if (!parts) return parts.error();
    if (parts->modules.empty() || parts->linked) return {};
    const std::string object = folder_ + "/linked.o";
    if (auto ok = link_device_objects(*parts, object, folder_, tools_, options_); !ok) return ok;
    objects_.push_back(object);
    return {};
}

void ProgramBuild::add_cuda(std::vector<std::string>& command, const std::string& fat_binary) const {
    command.insert(command.end(),
                   {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=" + arch_,
                    "-Wno-unknown-cuda-version", "-std=c++17", arch_list_flag(arch_)});
    const auto ours = header_flags(tools_);
    command.insert(command.end(), ours.begin(), ours.end());
    command.insert(command.end(),
                   {"-include", "warpwright/cuda.h", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat_binary});
    // Where clang finds no toolkit it takes it for one of before 9.2, whose kernels were launched in another
    // way. (It knows no version above 12.5.)
    command.insert(command.end(), {"-Xclang", "-target-sdk-version=12.3"});
    command.insert(command.end(), host_headers().begin(), host_headers().end());
}

Result<void> ProgramBuild::compile_source(const std::string& source, const std::string& object,
                                          const std::string& stem) const {
    const bool cuda = is_cuda(source);
    std::vector<std::string> host{tools_.compiler, "-fno-crash-diagnostics", "-c", "-O2"};
    if (shared_) host.push_back("-fPIC");
    if (per_thread_) host.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    if (request_.host_lines) host.insert(host.end(), {"-gline-tables-only", "-fno-optimize-sibling-calls"});
    for (const auto& d : cuda ? defines_of(source) : request_.defines) host.push_back("-D" + d);
    for (const auto& d : includes_) host.push_back("-I" + d);
    if (cuda) {
        auto ptx = separate_ && !keeps_parts_ ? Result<std::string>(linked_) : device_code(source);
        if (!ptx) return ptx.error();
        const auto fat_binary = stem + ".fatbin";
        std::ofstream(fat_binary, std::ios::binary)
            << write_fat_binary(*ptx, ptx_arch(*ptx), any_device_, keeps_parts_);
        add_cuda(host, fat_binary);
        if (keeps_parts_) host.insert(host.end(), {"-include", "warpwright/separate.h"});
        if (separate_)
            for (auto& word : host_unit_words(source, about(source))) host.push_back(std::move(word));
        if (per_thread_) host.insert(host.end(), {"-Xclang", "-fgpu-default-stream=per-thread"});
    } else {
        const auto ours = header_flags(tools_);
        host.insert(host.end(), ours.begin(), ours.end());
    }
    host.insert(host.end(), openmp_.compile.begin(), openmp_.compile.end());
    auto users = flags_;
    users.insert(users.end(), host_flags_.begin(), host_flags_.end());
    const auto characters = signed_characters(users);
    host.insert(host.end(), characters.begin(), characters.end());
    host.insert(host.end(), accepted_by_nvcc_flags().begin(), accepted_by_nvcc_flags().end());
    for (const auto& f : flags_)
        if (!device_only(f)) host.push_back(f);
    for (const auto& f : host_flags_)
        if (!f.starts_with("-Werror")) host.push_back(f);  // another compiler warns of other things
    if (cuda) host.push_back("-w");                        // the device's side has warned
    host = toolkits_last(host);
    if (cuda) {
        const auto last = ours_last(tools_.toolchain_dir);
        host.insert(host.end(), last.begin(), last.end());
    }
    auto covered = cover_toolkits(host, tools_.headers, folder_);
    if (!covered) return covered.error();
    host.insert(host.end(), covered->begin(), covered->end());
    if (auto ok = compile_host({std::move(host), source, object, folder_}, tools_, options_); !ok) return ok;
    return cuda && separate_ ? register_by_one_name(object) : Result<void>();
}

Result<void> ProgramBuild::link() {
    if (auto ok = link_parts(); !ok) return ok;
    std::vector<std::string> command{tools_.compiler, "-o", operand(request_.program)};
    if (shared_) command.push_back("-shared");
    // No "--" may stand before them: the libraries must follow.
    for (const auto& object : objects_) command.push_back(operand(object));
    for (const auto& word : link_) {
        // The runtime library is ours, and has the device's part of it too.
        if (word == "-lcudart" || word == "-lcudart_static" || word == "-lcudadevrt") continue;
        // Ours of the newest version; not every file has its name alone.
        const DropIn* ours = word.starts_with("-l") ? newest_drop_in(std::string_view(word).substr(2)) : nullptr;
        // The loader of OpenCL is there by its version where nobody develops with it.
        command.push_back(ours ? "-l:" + ours->file() : word == "-lOpenCL" ? "-l:libOpenCL.so.1" : word);
        if (ours) add_library_folder(command, request_.runtime_folder + "/../" + ours->folder);
    }
    add_library_folder(command, request_.runtime_folder);
    command.insert(command.end(), {"-l:" + newest_drop_in("cudart")->file(), "-lm", "-lpthread"});
    auto ran = run_process(command, compiler_settings(options_));
    if (!ran) return ran.error();
    if (auto early = ended_early(*ran, options_, request_.program)) return std::move(*early);
    if (ran->exit_code != 0 || ran->signal != 0) return link_error(ran->errors);
    return {};
}

}  // namespace

Result<void> build_program(const WholeRequest& request, const CompileOptions& options) {
    auto tools = find_tools(options);
    if (!tools) return tools.error();
    const TemporaryFolder folder("build");
    if (folder.path().empty()) return failure(ErrorKind::internal, "no temporary folder", {}, "set TMPDIR");
    ProgramBuild build(request, options, std::move(*tools), folder.path());
    if (auto ok = build.read_flags(); !ok) return ok;
    if (build.compiles_only()) return build.compile_one();
    if (build.links_device_code_only()) return build.link_device_only();
    if (build.archives()) return build.archive();
    if (auto ok = build.link_device_code(); !ok) return ok;
    if (auto ok = build.compile_sources(); !ok) return ok;
    return build.link();
}

}  // namespace warpwright::compile
