// The folders that the child may read are listed here from the command's options, the device models and the compiler's
// own search. Options that would make the child write files or start an assembler are refused or switched off first.
#include "cli/commands/untrusted.hpp"

#include <algorithm>
#include <filesystem>

#include "arch/model.hpp"
#include "cli/options/argument_words.hpp"
#include "compile/kernel/command.hpp"
#include "ladder/find.hpp"
#include "support/settings.hpp"
#include "text/words.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

bool a_file(const std::optional<std::string>& word) { return word && !word->empty() && *word != "-"; }

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

/// The linker that the compiler would start.
Result<std::string> linker_of(const std::string& compiler) {
    compile::ProcessSettings settings;
    settings.seconds = 60;
    auto said = compile::run_process({compiler, "-print-prog-name=ld"}, settings);
    if (!said) return std::move(said).error();
    std::string name = said->output.substr(0, said->output.find('\n'));
    if (!name.starts_with("/")) name = compile::find_program(name);
    if (name.empty())
        return Error{ErrorKind::no_device, "the compiler has no linker", Location{}, "install the package binutils"};
    return name;
}

/// A stranger's folder may hold links to files of the user's own, whose words messages would quote: a file is read
/// through a link only where that stays in the link's folder.
Result<void> leads_out(const std::string& path) {
    std::error_code ec;
    if (!fs::is_symlink(path, ec) || !fs::is_regular_file(path, ec)) return {};
    const auto folder = fs::canonical(fs::absolute(path, ec).parent_path(), ec);
    const auto within = fs::canonical(path, ec).lexically_relative(folder);
    if (!ec && !within.empty() && *within.begin() != "..") return {};
    return Error{ErrorKind::input, "is a link to a file in another folder, which --untrusted does not follow",
                 Location{path, 0, 0}, "name the file itself if it is what you mean"};
}

Result<confine::Bounds> bounds_of(const RunOptions& run, const Needs& needs) {
    for (const auto& path : needs.read)
        if (auto ok = leads_out(path); !ok) return std::move(ok).error();
    confine::Bounds out;
    out.read.assign(std::begin(kSystem), std::end(kSystem));
    out.read.insert(out.read.end(), needs.read.begin(), needs.read.end());
    out.hidden = needs.hidden;
    out.kept = needs.kept;
    if (needs.seconds > 0) out.seconds = needs.seconds;
    if (needs.processor_seconds > 0) out.processor_seconds = needs.processor_seconds;
    for (const std::string& folder : arch::model_folders()) out.read.push_back(folder);
    for (const std::string& folder : Words::folders()) out.read.push_back(folder);
    if (auto model = arch::find_model(arch::model_or_default(run.model))) out.read.push_back(*model);
    if (!needs.programs.empty()) {
        out.programs.assign(std::begin(kLoaders), std::end(kLoaders));
        out.programs.insert(out.programs.end(), needs.programs.begin(), needs.programs.end());
    }
    if (!needs.compiles) return out;
    auto tools = compile::find_tools({});
    if (!tools) return std::move(tools).error();
    for (const std::string& path : {tools->toolchain_dir, tools->libclc, tools->pass})
        if (!path.empty()) out.read.push_back(path);
    out.read.insert(out.read.end(), tools->headers.begin(), tools->headers.end());
    out.programs.assign(std::begin(kLoaders), std::end(kLoaders));
    out.programs.push_back(tools->compiler);
    if (!needs.links) return out;
    auto linker = linker_of(tools->compiler);
    if (!linker) return std::move(linker).error();
    out.programs.push_back(std::move(*linker));
    return out;
}

}  // namespace

Error not_untrusted(const std::string& what, const std::string& hint) {
    return Error{ErrorKind::usage, what + " and --untrusted exclude each other", Location{}, hint};
}

Result<void> only_standard_output(const OutputOptions& options) {
    if (a_file(options.json) || a_file(options.csv))
        return not_untrusted("a file for the records", "--json without a file, to standard output");
    return {};
}

Result<int> confined_result(RunOptions& run, const Needs& needs, Console& console, const std::function<int()>& work) {
    if (run.device != "auto" && run.device != "emulated")
        return not_untrusted("--device " + run.device, "untrusted kernels run on the emulated device alone");
    if (!run.ptxas.empty() && run.ptxas != "off")
        return not_untrusted("--ptxas", "registers of untrusted kernels are estimated");
    // An assembler reads the stranger's text, and is no program that the child may start.
    settings::choose(Setting::ptxas, "off");
    auto bounds = bounds_of(run, needs);
    if (!bounds) return std::move(bounds).error();
    run.device = "emulated";
    const bool flushed = console.flush();
    return confine::run(*bounds, [&] {
        const int done = work();
        return console.flush() && flushed ? done : 1;
    });
}

int confined(RunOptions& run, const Needs& needs, Console& console, const std::function<int()>& work) {
    auto code = confined_result(run, needs, console, work);
    return code ? *code : console.fail(code.error());
}

int maybe_confined(LaunchOptions& options, Console& console, const std::function<int()>& work) {
    if (!options.run.untrusted) return work();
    if (!options.outputs.empty()) return console.fail(not_untrusted("--out", "the child writes no files"));
    if (auto ok = only_standard_output(options.output); !ok) return console.fail(ok.error());
    Needs needs;
    needs.read.push_back(options.file);
    needs.read.insert(needs.read.end(), options.includes.begin(), options.includes.end());
    for (const std::string& word : options.arguments)
        if (auto argument = parse_argument(word); argument && !argument->contents.path.empty())
            needs.read.push_back(argument->contents.path);
    needs.compiles = !options.file.ends_with(".ptx");
    return confined(options.run, needs, console, work);
}

int confined_ladder(RunOptions& run, std::string& ladder, const std::vector<std::string>& more, Console& console,
                    const std::function<int()>& work) {
    auto file = ladder::ladder_file(ladder);
    if (!file) return console.fail(file.error());
    ladder = std::move(*file);
    const std::string folder = fs::path(ladder).parent_path().string();
    Needs needs;
    needs.read = more;
    needs.read.push_back(folder.empty() ? "." : folder);
    return confined(run, needs, console, work);
}

Result<void> end_of_compiling() { return confine::no_more_programs(); }

}  // namespace warpwright::cli
