// A program finds the drop-in libraries through its environment: the search path of the loader, preloaded libraries,
// and stand-ins for compilers in PATH. Whether a source file is a whole program is decided by a main function outside
// comments and literals.
#include "cli/commands/whole_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "arch/links.hpp"
#include "arch/model.hpp"
#include "cli/habits.hpp"
#include "compile/kernel/compile.hpp"
#include "profile/program.hpp"
#include "support/libraries.hpp"
#include "support/library_search.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;
using settings::variable;

namespace {

/// Compilers that clients call while they run are ours (docs/python-packages.md): in PATH, and by the variables that
/// name them.
void put_compilers_in_the_way(const std::string& root, int capability,
                              std::map<std::string, std::string>& environment) {
    std::error_code ec;
    const std::string programs = root + "/compilers/bin";
    if (!fs::exists(programs + "/ptxas", ec)) return;
    const std::string path = settings::text(Setting::path);
    environment[variable(Setting::path)] = programs + ":" + (path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path);
    // Triton takes the second from compute capability 9.0 on.
    environment["TRITON_PTXAS_PATH"] = environment["TRITON_PTXAS_BLACKWELL_PATH"] = programs + "/ptxas";
    environment["TRITON_LIBCUDA_PATH"] = root + "/" + newest_drop_in("cuda")->folder;
    // CuPy's wheel has CUB's kernels as PTX for compute capability 12.0 alone. Without them it compiles its own.
    constexpr int kOfCupy = 120;
    if (capability < kOfCupy) environment["CUPY_ACCELERATORS"] = "";
    // They are started from elsewhere, and their headers are beside this program.
    if (auto toolchain = compile::find_toolchain()) {
        environment[variable(Setting::toolchain)] = *toolchain;
        // Python's bindings of the CUDA runtime have it inside; what leads them to ours is read when Python starts.
        const std::string before = settings::text(Setting::python_path);
        environment[variable(Setting::python_path)] = *toolchain + "/python" + (before.empty() ? "" : ":" + before);
    }
}

}  // namespace

Result<ReadyProgram> ready_program(const ProgramOptions& options, const std::string& model_file, Console& console) {
    ProgramOptions o = options;
    ReadyProgram ready;
    ready.folder = std::make_unique<TemporaryFolder>("run");
    if (ready.folder->path().empty()) return Error{ErrorKind::internal, "no temporary folder", {}, "set TMPDIR"};
    ready.name = o.words[0];
    if (is_program_source(ready.name)) {
        const std::string made = ready.folder->path() + "/" + fs::path(ready.name).stem().string();
        if (auto ok = build_whole(o, ready.name, made, true, console); !ok) return ok.error();
        o.words[0] = made;
    }
    auto folders = cudart_folders();
    if (!folders) return folders.error();
    std::string file = find_program(o.words[0]);
    // Stand-ins of ours (nvidia-smi) are in the program's PATH, not in this process's.
    const bool stand_in = file.empty() && o.words[0].find('/') == std::string::npos;
    if (stand_in) file = find_program(fs::path(folders->front()).parent_path() / "compilers/bin" / o.words[0]);
    if (file.empty()) return no_program(ready.name);
    const auto facts = profile::look_at(file).value_or(profile::ProgramFacts{});
    if (const auto against = profile::objection(facts, ready.name); !against.empty() && !stand_in)
        console.note(against);
    ready.words = o.words;
    ready.words[0] = file;
    auto& e = ready.environment;
    std::string path;
    for (const auto& f : *folders) path += (path.empty() ? "" : ":") + f;
    if (const std::string before = settings::text(Setting::ld_library_path); !before.empty()) path += ":" + before;
    e[variable(Setting::ld_library_path)] = path;
    const auto model = arch::load_model(model_file);
    put_compilers_in_the_way(fs::path(folders->front()).parent_path().string(), model ? model->compute_capability : 0,
                             e);
    // The loader of OpenCL reads the names of its platforms in a folder: ours has our platform alone.
    if (const std::string vendors = fs::path(folders->front()).parent_path() / kOpenclVendors; fs::exists(vendors))
        e["OCL_ICD_VENDORS"] = vendors;
    // The library that leads a static runtime's functions to ours: in this program, or in what it loads or starts.
    std::string first;
    if (const std::string file = fs::path(folders->front()).parent_path() / kTakeover; fs::exists(file)) first = file;
    // A program's DT_RPATH goes before that path; what is loaded first goes before both.
    if (facts.own_path && !facts.runtime.empty())
        for (const auto& f : *folders)
            if (fs::exists(f + "/" + facts.runtime)) first += (first.empty() ? "" : ":") + f + "/" + facts.runtime;
    if (!first.empty()) e["LD_PRELOAD"] = first;
    e[variable(Setting::model)] = model_file;
    if (o.devices) e[variable(Setting::device_count)] = std::to_string(o.devices);
    if (!o.topology.empty()) {
        const auto devices = o.devices ? o.devices : settings::whole(Setting::device_count, 1);
        if (!model) return model.error();
        if (auto link = arch::link_of(*model, static_cast<unsigned>(devices), *arch::parse_topology(o.topology)); !link)
            return link.error();
        e[variable(Setting::topology)] = o.topology;
    }
    if (!o.memory_file.empty()) {
        std::error_code ec;
        if (!fs::is_directory(o.memory_file, ec))
            return Error{ErrorKind::usage,
                         "--memory-file: '" + o.memory_file + "' is no folder",
                         {},
                         "name one that may be written"};
        e[variable(Setting::memory_file)] = fs::absolute(o.memory_file).string();
    }
    if (o.memory_limit > 0) e[variable(Setting::memory_limit)] = fmt::format("{}", o.memory_limit);
    if (o.run.threads) e[variable(Setting::threads)] = std::to_string(o.run.threads);
    if (o.run.timeout > 0) {
        std::ostringstream seconds;
        seconds << o.run.timeout;
        e[variable(Setting::timeout)] = seconds.str();
    }
    if (!o.run.cpu.empty()) e[variable(Setting::cpu)] = o.run.cpu;
    return ready;
}

namespace {

/// Source without comments and without what is in quotes.
std::string bare(const std::string& text) {
    std::string out;
    for (std::size_t k = 0; k < text.size();) {
        const auto two = text.substr(k, 2);
        if (two == "//") {
            k = text.find('\n', k);
        } else if (two == "/*") {
            k = text.find("*/", k + 2);
            if (k != std::string::npos) k += 2;
            out += ' ';
        } else if (text[k] == '"' ||
                   (text[k] == '\'' && (k == 0 || !std::isalnum(static_cast<unsigned char>(text[k - 1]))))) {
            const char quote = text[k++];
            while (k < text.size() && text[k] != quote && text[k] != '\n') k += text[k] == '\\' ? 2 : 1;
            ++k;
        } else {
            out += text[k++];
        }
        if (k == std::string::npos) break;
    }
    return out;
}

}  // namespace

bool is_whole_program(const std::string& file) {
    const auto extension = fs::path(file).extension().string();
    if (extension == ".cl" || extension == ".ptx") return false;
    std::error_code ec;
    if (!is_program_source(file)) return !fs::is_directory(file, ec) && !find_program(file).empty();
    const auto text = read_file(file, file_limit::source);
    if (!text) return false;
    static const std::regex main_function(R"((^|[^\w])(int|void|auto)\s+main\s*\()");
    return std::regex_search(bare(*text), main_function);
}

}  // namespace warpwright::cli
