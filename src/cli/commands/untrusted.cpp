#include "cli/commands/untrusted.hpp"

#include <algorithm>
#include <filesystem>

#include "arch/model.hpp"
#include "cli/options/argument_words.hpp"
#include "compile/command.hpp"
#include "confine/confine.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

Error not_with(const std::string& what, const std::string& hint) {
    return Error{ErrorKind::usage, what + " and --untrusted exclude each other", Location{}, hint};
}

bool a_file(const std::optional<std::string>& word) { return word && !word->empty() && *word != "-"; }

/// What the child would have to do and may not.
Result<void> refuse(const LaunchOptions& o) {
    if (o.run.device != "auto" && o.run.device != "emulated")
        return not_with("--device " + o.run.device, "untrusted kernels run on the emulated device alone");
    if (!o.outputs.empty()) return not_with("--out", "the child writes no files");
    if (a_file(o.output.json) || a_file(o.output.csv))
        return not_with("a file for the records", "--json without a file, to standard output");
    return {};
}

/// The system's libraries and programs, and what the C library, LLVM and oneTBB look at to know the machine.
constexpr const char* kSystem[] = {"/usr",
                                   "/lib",
                                   "/lib64",
                                   "/bin",
                                   "/etc/ld.so.cache",
                                   "/etc/alternatives",
                                   "/proc/self",
                                   "/proc/cpuinfo",
                                   "/proc/meminfo",
                                   "/sys/devices/system",
                                   "/dev/urandom"};
/// What the system starts a program with.
constexpr const char* kLoaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

Result<confine::Bounds> bounds_of(const LaunchOptions& o) {
    confine::Bounds out;
    out.read.assign(std::begin(kSystem), std::end(kSystem));
    out.read.push_back(o.file);
    out.read.insert(out.read.end(), o.includes.begin(), o.includes.end());
    for (const std::string& word : o.arguments)
        if (auto argument = parse_argument(word); argument && !argument->contents.path.empty())
            out.read.push_back(argument->contents.path);
    for (const std::string& folder : arch::model_folders()) out.read.push_back(folder);
    if (auto model = arch::find_model(o.run.model.empty() ? "h200" : o.run.model)) out.read.push_back(*model);
    if (o.file.ends_with(".ptx")) return out;  // needs no compiler
    auto tools = compile::find_tools({});
    if (!tools) return std::move(tools).error();
    for (const std::string& path : {tools->toolchain_dir, tools->libclc, tools->pass})
        if (!path.empty()) out.read.push_back(path);
    out.programs.assign(std::begin(kLoaders), std::end(kLoaders));
    out.programs.push_back(tools->compiler);
    return out;
}

}  // namespace

void add_untrusted(CLI::App& command, LaunchOptions& options) {
    command.add_flag("--untrusted", options.untrusted,
                     "compile and run in a child process that the system confines: see docs/security.md");
}

int maybe_confined(LaunchOptions& options, Console& console, const std::function<int()>& work) {
    if (!options.untrusted) return work();
    if (auto ok = refuse(options); !ok) return console.fail(ok.error());
    auto bounds = bounds_of(options);
    if (!bounds) return console.fail(bounds.error());
    options.run.device = "emulated";
    const bool flushed = console.flush();
    auto code = confine::run(*bounds, [&] {
        const int done = work();
        return console.flush() && flushed ? done : 1;
    });
    return code ? *code : console.fail(code.error());
}

Result<void> end_of_compiling() { return confine::no_more_programs(); }

}  // namespace warpwright::cli
