// NVRTC's C interface, loaded when it is first used, the translation of nvcc's flags for it, and the choice between it
// and clang for a real device.
#include "compile/kernel/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compile/failure.hpp"
#include "compile/kernel/cached_compile.hpp"
#include "compile/kernel/entries.hpp"
#include "compile/kernel/includes.hpp"
#include "support/cause.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/settings.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;

/// The entry points, as NVRTC's documentation declares them.
struct Nvrtc::Api {
    using Program = struct ProgramTag*;
    using Status = int;
    SharedLibrary library;
    Status (*version)(int*, int*) = nullptr;
    const char* (*error_text)(Status) = nullptr;
    Status (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    Status (*destroy)(Program*) = nullptr;
    Status (*compile)(Program, int, const char* const*) = nullptr;
    Status (*ptx_size)(Program, std::size_t*) = nullptr;
    Status (*ptx)(Program, char*) = nullptr;
    Status (*log_size)(Program, std::size_t*) = nullptr;
    Status (*log)(Program, char*) = nullptr;
    Status (*architecture_count)(int*) = nullptr;
    Status (*architectures)(int*) = nullptr;

    bool load() {
        return library.get(version, "nvrtcVersion") && library.get(error_text, "nvrtcGetErrorString") &&
               library.get(create, "nvrtcCreateProgram") && library.get(destroy, "nvrtcDestroyProgram") &&
               library.get(compile, "nvrtcCompileProgram") && library.get(ptx_size, "nvrtcGetPTXSize") &&
               library.get(ptx, "nvrtcGetPTX") && library.get(log_size, "nvrtcGetProgramLogSize") &&
               library.get(log, "nvrtcGetProgramLog") && library.get(architecture_count, "nvrtcGetNumSupportedArchs") &&
               library.get(architectures, "nvrtcGetSupportedArchs");
    }

    std::string log_of(Program program) const {
        std::size_t size = 0;
        if (log_size(program, &size) != 0 || size <= 1) return {};
        std::string text(size, '\0');
        if (log(program, text.data()) != 0) return {};
        text.resize(size - 1);
        return text;
    }
};

namespace {

/// The flags of nvcc that NVRTC has too.
bool is_nvrtc_flag(std::string_view flag) {
    for (const char* known : {"--use_fast_math", "-use_fast_math", "--fmad=", "-fmad=", "--ftz=", "-ftz=",
                              "--prec-div=", "-prec-div=", "--prec-sqrt=", "-prec-sqrt=", "--maxrregcount=",
                              "-maxrregcount=", "--extra-device-vectorization", "-std=", "--std=", "-D", "-U"})
        if (flag.starts_with(known)) return true;
    return false;
}

std::vector<std::string> options_of(const CompileRequest& request, const std::string& architecture,
                                    const std::string& library) {
    std::vector<std::string> out{"--gpu-architecture=" + architecture};
    if (request.line_info) out.push_back("--generate-line-info");
    bool standard = false;
    for (const std::string& flag : request.flags) {
        if (!is_nvrtc_flag(flag)) continue;
        standard = standard || flag.find("-std=") != std::string::npos;
        out.push_back(flag);
    }
    if (!standard) out.push_back("--std=c++17");
    for (const std::string& define : request.defines) out.push_back("--define-macro=" + define);
    const std::string beside = fs::path(request.path).parent_path().string();
    out.push_back("--include-path=" + (beside.empty() ? std::string(".") : beside));
    for (const std::string& folder : request.include_dirs) out.push_back("--include-path=" + folder);
    for (const std::string& folder : nvrtc_headers(library)) out.push_back("--include-path=" + folder);
    return out;
}

/// "a.cu(12): error: identifier "x" is undefined" of the log.
Error first_nvrtc_error(const std::string& log, const CompileRequest& request, const std::string& status) {
    for (std::size_t at = 0; at < log.size();) {
        const auto end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        for (const char* mark : {": error: ", ": catastrophic error: ", "error: "}) {
            const auto found = line.find(mark);
            if (found == std::string::npos) continue;
            Error error = failure(ErrorKind::input, line.substr(found + std::string(mark).size()), request.path);
            // NVRTC has no error code for it, so its log is read; no other code does that.
            if (error.what.find("open source file") != std::string::npos) error.cause = Cause::missing_source;
            const auto close = line.rfind(')', found), open = line.rfind('(', found);
            if (close + 1 == found && open != std::string::npos && open < close) {
                error.where.file = line.substr(0, open);
                error.where.line = static_cast<unsigned>(std::strtoul(line.c_str() + open + 1, nullptr, 10));
            }
            return error;
        }
    }
    return failure(ErrorKind::input, "NVRTC: " + status, request.path);
}

}  // namespace

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(const NvrtcSearch& search, int newest) {
    std::string passed;
    const auto candidates = nvrtc_candidates(search);
    for (const std::string& file : candidates) {
        auto library = SharedLibrary::open(file);
        if (!library) {
            if (search.own) passed = library.error().what;
            continue;
        }
        auto api = std::make_shared<Api>();
        api->library = std::move(*library);
        auto out = std::make_shared<Nvrtc>();
        out->path_ = api->library.path();
        int major = 0, minor = 0, count = 0;
        if (!api->load() || api->version(&major, &minor) != 0 || api->architecture_count(&count) != 0 || count <= 0) {
            passed = out->path_ + " lacks what is needed (NVRTC of CUDA 11.2 or newer)";
            continue;
        }
        out->version_ = major * 1000 + minor * 10;
        if (newest != 0 && out->version_ > newest) {
            passed = fmt::format("{} is of CUDA {}.{}, newer than the driver's {}.{}", out->path_, major, minor,
                                 newest / 1000, newest % 1000 / 10);
            continue;
        }
        out->architectures_.resize(static_cast<std::size_t>(count));
        if (api->architectures(out->architectures_.data()) != 0) continue;
        std::sort(out->architectures_.begin(), out->architectures_.end());
        out->api_ = std::move(api);
        return std::shared_ptr<const Nvrtc>(out);
    }
    return failure(ErrorKind::no_device, passed.empty() ? "NVRTC was not found" : passed, {},
                   fmt::format("install NVIDIA's wheel nvidia-cuda-nvrtc or a CUDA toolkit, or set {} to libnvrtc.so",
                               settings::variable(Setting::nvrtc)));
}

std::string Nvrtc::text() const { return fmt::format("NVRTC {}.{}", version_ / 1000, version_ % 1000 / 10); }

std::string Nvrtc::architecture(int compute_capability) const {
    auto above = std::upper_bound(architectures_.begin(), architectures_.end(), compute_capability);
    if (above == architectures_.begin()) return {};
    const int best = *std::prev(above);
    // From Hopper on, a capability has its own features (wgmma, tcgen05), which only its exact "a" target provides.
    return fmt::format("compute_{}{}", best, best == compute_capability && best >= 90 ? "a" : "");
}

Result<CompiledPtx> Nvrtc::compile(const CompileRequest& request, const std::string& architecture,
                                   const CompileOptions& options) const {
    if (options.log) options.log->clear();
    auto text = request.text ? request.text : read_file(request.path);
    if (!text) return failure(ErrorKind::input, "cannot read the kernel's source", request.path);
    const auto flags = options_of(request, architecture, path_);
    const auto included = local_includes(request.path, *text, request.include_dirs);

    CompiledPtx result;
    result.compiler = text_for(architecture);
    DiskCache cache(options.cache_dir, ".nvrtc-entry");
    ContentHasher hasher;
    std::error_code ec;
    hasher.add("nvrtc-1").add(path_).add(std::to_string(version_)).add(*text).add(request.path);
    hasher.add(fs::current_path(ec).string());
    for (const std::string& flag : flags) hasher.add(flag);
    const std::string key = hasher.digest();
    const bool cached = !options.cache_dir.empty() && included.has_value();
    if (cached) {
        if (auto bytes = cache.get(key)) {
            if (auto entry = decode_entry(*bytes); entry && dependencies_unchanged(*entry)) {
                result.ptx = std::move(entry->output);
                result.log = std::move(entry->log);
                result.entries = list_entries(result.ptx);
                result.from_cache = true;
                if (options.log) *options.log = result.log;
                return result;
            }
        }
    }

    const UnchangedSince unchanged;
    Api::Program program = nullptr;
    if (auto s = api_->create(&program, text->c_str(), request.path.c_str(), 0, nullptr, nullptr); s != 0)
        return failure(ErrorKind::internal, fmt::format("{}: {}", this->text(), api_->error_text(s)), request.path);
    std::vector<const char*> words;
    for (const std::string& flag : flags) words.push_back(flag.c_str());
    const auto status = api_->compile(program, static_cast<int>(words.size()), words.data());
    result.log = api_->log_of(program);
    if (options.log) *options.log = result.log;
    std::size_t size = 0;
    if (status == 0 && api_->ptx_size(program, &size) == 0 && size > 1) {
        result.ptx.resize(size);
        if (api_->ptx(program, result.ptx.data()) != 0) result.ptx.clear();
        while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
    }
    (void)api_->destroy(&program);
    if (status != 0) return first_nvrtc_error(result.log, request, api_->error_text(status));
    if (result.ptx.empty()) return failure(ErrorKind::internal, this->text() + " gave no PTX", request.path);
    result.entries = list_entries(result.ptx);
    if (cached) {
        CacheEntry entry;
        entry.output = result.ptx;
        entry.log = result.log;
        if (fill_dependencies(entry, *included, unchanged)) cache.put(key, encode_entry(entry));
    }
    return result;
}

std::string Nvrtc::text_for(const std::string& architecture) const { return text() + " for " + architecture; }

std::string clang_architecture(int compute_capability) {
    // The capabilities that clang 19 knows. A newer device runs code for the newest of these too: PTX without an "a"
    // runs on all later devices.
    constexpr int kKnown[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
    int best = 0;
    for (int arch : kKnown)
        if (arch <= compute_capability) best = arch;
    if (best == 0) return {};
    return fmt::format("sm_{}{}", best, compute_capability == 90 ? "a" : "");
}

Result<CompiledPtx> compile_for_device(const CompileRequest& request, int compute_capability, const Nvrtc* nvrtc,
                                       const CompileOptions& options) {
    const auto with_clang = [&](const std::string& why) -> Result<CompiledPtx> {
        CompileRequest other = request;
        other.arch = clang_architecture(compute_capability);
        if (other.arch.empty())
            return failure(ErrorKind::no_device,
                           fmt::format("no compiler for a device of capability {}.{}", compute_capability / 10,
                                       compute_capability % 10),
                           request.path, "use a device of capability 5.0 or newer, or PTX");
        auto compiled = compile::compile(other, options);
        if (compiled) compiled->compiler = "clang for " + other.arch + (why.empty() ? "" : " (" + why + ")");
        return compiled;
    };
    if (request.language != "cuda") return with_clang("");
    if (!nvrtc) return with_clang("no NVRTC");
    const std::string architecture = nvrtc->architecture(compute_capability);
    if (architecture.empty()) return with_clang(nvrtc->text() + " does not know the device");
    auto compiled = nvrtc->compile(request, architecture, options);
    if (compiled || compiled.error().cause != Cause::missing_source) return compiled;
    // NVRTC's installation lacks a header that ours may have. If clang fails as well, NVRTC's message stands.
    auto other = with_clang(nvrtc->text() + ": " + compiled.error().what);
    return other ? std::move(other) : std::move(compiled);
}

}  // namespace warpwright::compile
