// Headers that are given as texts are written to a temporary folder, because clang reads files; such a program is not
// cached. Expressions of kernel names are compiled with the source and resolved from the PTX.
#include "compilers/nvrtc/program.hpp"

#include <filesystem>
#include <fstream>

#include "compilers/nvrtc/names.hpp"
#include "compilers/nvrtc/options.hpp"
#include "support/disk_cache.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compilers {
namespace fs = std::filesystem;
namespace {

/// Headers that the program gives as texts. Their names are the program's own; none may lead out of the folder.
bool write_headers(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& headers) {
    for (const auto& [name, text] : headers) {
        const auto relative = fs::path(name).lexically_normal();
        if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") continue;
        const auto file = fs::path(folder) / relative;
        std::error_code ec;
        fs::create_directories(file.parent_path(), ec);
        std::ofstream out(file, std::ios::binary);
        out << text;
        if (!out.flush()) return false;
    }
    return true;
}

std::string in_quotes(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

}  // namespace

nvrtcResult RtcProgram::compile(const std::vector<std::string>& words) {
    compiled = true;
    ptx.clear(), log.clear(), lowered.clear();
    auto options = read_rtc_options(words);
    if (!options) {
        log = "nvrtc: error: " + options.error().text() + "\n";
        return NVRTC_ERROR_INVALID_OPTION;
    }
    machine_code = options->machine_code;
    auto& request = options->request;
    request.path = name.empty() ? "default_program" : name;
    request.defines.insert(request.defines.begin(), "__CUDACC_RTC__=1");
    // What NVRTC has of the standard library without an #include.
    for (const char* header : {"initializer_list", "utility"})
        request.flags.insert(request.flags.end(), {"-include", header});
    std::string text = source;
    if (options->default_device)
        text = "#pragma clang force_cuda_host_device begin\n#line 1 " + in_quotes(request.path) + "\n" + text +
               "\n#pragma clang force_cuda_host_device end\n";
    request.text = text + marked(expressions);
    compile::CompileOptions how;
    std::string said;
    how.log = &said;
    const TemporaryFolder folder("rtc");
    if (headers.empty()) {
        how.cache_dir = default_cache_directory();
    } else {
        if (folder.path().empty() || !write_headers(folder.path(), headers)) {
            log = "nvrtc: error: the program's headers cannot be written to a temporary folder (set TMPDIR)\n";
            return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
        }
        request.include_dirs.insert(request.include_dirs.begin(), folder.path());
    }
    auto made = compile::compile(request, how);
    log = options->notes;
    if (!made) {
        log += made.error().text() + "\n" + said;
        return NVRTC_ERROR_COMPILATION;
    }
    log += made->log;
    ptx = std::move(made->ptx);
    lowered = lowered_names(ptx, expressions);
    return NVRTC_SUCCESS;
}

}  // namespace warpwright::compilers
