// warpwright build: a CUDA program from its source, linked to our runtime library; and where that library is.
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cli/commands/output_files.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/commands/whole_program.hpp"
#include "compile/program/build_program.hpp"
#include "host/self.hpp"
#include "support/disk_cache.hpp"
#include "support/libraries.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;

std::vector<std::string> library_roots() {
    std::vector<std::string> roots;
    const fs::path self = fs::path(host::own_program()).parent_path();
    // Installed, then in a build tree: the program at its top, or a test somewhere below.
    for (const char* lib : {"../lib/warpwright", "../lib64/warpwright"})
        roots.push_back((self / lib).lexically_normal());
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(self / "../lib", fs::directory_options::skip_permission_denied, ec))
        if (fs::is_directory(entry.path() / "warpwright", ec))
            roots.push_back((entry.path() / "warpwright").lexically_normal());
    for (const char* up : {".", "..", "../.."}) roots.push_back((self / up).lexically_normal());
    return roots;
}

Result<std::vector<std::string>> cudart_folders() {
    const DropIn& runtime = *newest_drop_in("cudart");
    const std::string own = settings::text(Setting::cudart);
    const std::vector<std::string> roots = own.empty() ? library_roots() : std::vector<std::string>{own};
    std::string tried;
    for (const auto& root : roots) {
        std::error_code ec;
        std::vector<std::string> found;
        if (fs::exists(root + "/" + runtime.path(), ec))
            for (const DropIn& d : kDropIns)
                if (const std::string folder = root + "/" + d.folder;
                    fs::exists(root + "/" + d.path(), ec) &&
                    std::find(found.begin(), found.end(), folder) == found.end())
                    found.push_back(folder);
        if (!found.empty()) return found;
        tried += (tried.empty() ? "" : ", ") + root;
    }
    return Error{
        ErrorKind::no_device,
        fmt::format("our runtime library {} is not there (looked in {})", runtime.file(), tried),
        {},
        fmt::format("set {} to the folder that holds {}/", settings::variable(Setting::cudart), runtime.folder)};
}

Result<void> build_whole(const ProgramOptions& o, const std::string& source, const std::string& program, bool lines,
                         Console& console) {
    compile::WholeRequest request;
    request.sources = {source};
    request.sources.insert(request.sources.end(), o.more_sources.begin(), o.more_sources.end());
    for (const std::string& file : request.sources)
        if (std::error_code ec; !fs::exists(file, ec))
            return Error{ErrorKind::input, "there is no file '" + file + "'", {}, ""};
    auto folders = cudart_folders();
    if (!folders) return folders.error();
    request.program = program;
    request.runtime_folder = folders->front();
    request.defines = o.defines;
    request.include_dirs = o.includes;
    request.flags = o.flags;
    request.host_flags = o.host_flags;
    request.cuda_path = o.cuda_path;
    request.line_info = lines;
    request.host_lines = o.host_lines;
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    if (o.run.timeout > 0) options.timeout_s = o.run.timeout;
    std::vector<std::string> warnings;
    options.warnings = &warnings;
    auto built = compile::build_program(request, options);
    for (const std::string& warning : warnings) console.note(warning);
    return built;
}

namespace {

/// Builds in a confined child: it reads the sources, the folders that the user names, and our libraries, and leaves the
/// program in a folder of its own, from which it is copied.
int build_untrusted(ProgramOptions& o, const std::string& program, bool object, Console& console) {
    auto folders = cudart_folders();
    if (!folders) return console.fail(folders.error());
    Needs needs;
    needs.links = !object;
    needs.read = o.words;
    needs.read.insert(needs.read.end(), o.includes.begin(), o.includes.end());
    // The linker looks into what our libraries need too, which lies beside their folders.
    needs.read.push_back(fs::path(folders->front()).parent_path().string());
    needs.read.insert(needs.read.end(), folders->begin(), folders->end());
    if (!o.cuda_path.empty()) needs.read.push_back(o.cuda_path);
    for (const std::string& flag : o.flags)
        if (flag.size() > 2 && (flag.starts_with("-I") || flag.starts_with("-L"))) needs.read.push_back(flag.substr(2));
    needs.kept = {{"program", program, !object}};
    return confined(o.run, needs, console, [&] {
        auto ok = build_whole(o, o.words[0], temporary_root() + "/program", true, console);
        return ok ? 0 : console.fail(ok.error());
    });
}

bool has(const ProgramOptions& o, const char* flag) {
    return std::find(o.flags.begin(), o.flags.end(), flag) != o.flags.end();
}

/// What nvcc calls the file that is made.
std::string made_of(const ProgramOptions& o) {
    if (has(o, "-dlink")) return "a_dlink.o";
    if (has(o, "-lib")) return "a.a";
    return fs::path(o.words[0]).stem().string() + (has(o, "-c") ? ".o" : "");
}

}  // namespace

int build(const ProgramOptions& o, Console& console) {
    if (o.words.empty())
        return console.fail(Error{ErrorKind::usage, "no source to build", {}, "warpwright build app.cu -o app"});
    if (!(o.run.timeout >= 0))
        return console.fail(Error{
            ErrorKind::usage, "--timeout is not a number of seconds", {}, "warpwright build --timeout 60 app.cu"});
    ProgramOptions all = o;
    const bool object = has(o, "-c");
    // Each source has an object of its own.
    if (object && o.words.size() > 1 && o.program.empty()) {
        for (const auto& source : o.words) {
            all.words = {source};
            if (const int code = build(all, console); code != 0) return code;
        }
        return 0;
    }
    all.more_sources.assign(o.words.begin() + 1, o.words.end());
    const std::string program = o.program.empty() ? made_of(o) : o.program;
    if (auto ok = check_writable(program); !ok) return console.fail(ok.error());
    if (o.run.untrusted && (has(o, "-dlink") || has(o, "-lib")))
        return console.fail(Error{ErrorKind::usage, "--untrusted builds programs and objects alone", {}, ""});
    if (o.run.untrusted) return build_untrusted(all, program, object, console);
    auto ok = build_whole(all, o.words[0], program, true, console);
    return ok ? 0 : console.fail(ok.error());
}

}  // namespace warpwright::cli
