// warpwright check: a kernel, or the rungs of a ladder, under the checkers of the emulated GPU.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/commands/one_kernel.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/schedules.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/commands/whole_program.hpp"
#include "cli/options/common_options.hpp"
#include "lab/sweep/sweep.hpp"
#include "ladder/find.hpp"
#include "report/findings.hpp"
#include "support/closest.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {
namespace {

struct CheckOptions {
    LaunchOptions launch;
    std::string ladder;
    std::vector<std::string> rungs, sizes, axes;
    std::string checkers = "all";
    std::string tool, leak_check;  ///< Compute Sanitizer's words for the same; empty: not said
    int error_exitcode = 1;
    bool launches_kernel = false;
    bool own_exitcode = false;  ///< it was asked for
    std::optional<std::string> json, sarif, junit, markdown;
    std::string log;
    ProgramOptions program;  ///< of whole programs: arguments, and what else the compiler is told
    std::vector<std::string> arguments;
    unsigned schedules = 0;  ///< in how many other orders of blocks and warps a whole program runs too
};

/// The exit code of a check that looked at nothing.
constexpr int kNothingChecked = 3;

Result<void> save(const std::string& file, const std::string& text, Console& console) {
    return write_or_print(file.empty() ? "-" : file, text, console);
}

bool standard(const std::optional<std::string>& file) { return file && (file->empty() || *file == "-"); }

/// Prints what was found, or writes it as asked. The exit code. A program's own output is on standard output: `beside`
/// it the text goes to standard error.
int give_findings(const CheckOptions& o, const std::vector<record::Finding>& findings, Console& console,
                  const SourceFiles::MayShow& may_show = {}, const std::string& beside = "",
                  const std::string& nothing = "") {
    if (!o.log.empty()) {
        if (auto ok = save(o.log, report::findings_text(findings, false, may_show), console); !ok)
            return console.fail(ok.error());
    } else if (!standard(o.json) && !standard(o.sarif)) {
        if (beside.empty())
            console.out(report::findings_text(findings, console.color(), may_show));
        else
            console.error_text("==warpwright== " + beside + "\n" + report::findings_text(findings, false, may_show));
    }
    if (o.json)
        if (auto ok = save(*o.json, record::findings_json(findings), console); !ok) return console.fail(ok.error());
    if (o.sarif)
        if (auto ok = save(*o.sarif, report::findings_sarif(findings, WARPWRIGHT_VERSION), console); !ok)
            return console.fail(ok.error());
    if (o.junit)
        if (auto ok = save(*o.junit, report::findings_junit(findings, o.launch.run.checkers, nothing), console); !ok)
            return console.fail(ok.error());
    if (o.markdown) {
        const std::string of = !o.ladder.empty() ? o.ladder : o.launch.file;
        if (auto ok = save(*o.markdown, report::findings_markdown(findings, of, nothing), console); !ok)
            return console.fail(ok.error());
    }
    for (const auto& f : findings)
        if (f.severity == record::Severity::error) return o.error_exitcode;
    return 0;
}

int check_kernel(const CheckOptions& o, Console& console) {
    auto prepared = prepare(o.launch);
    if (!prepared) return console.fail(prepared.error());
    if (auto ok = check_regular_file(o.launch.file); !ok) return console.fail(ok.error());
    auto run = o.launch.run;
    run.sources = std::make_shared<SourceFiles>(only_file(o.launch.file));
    auto runtime = make_runtime(run);
    if (!runtime) return console.fail(runtime.error());
    auto ready = one_kernel(o.launch, *prepared, *runtime, console);
    if (!ready) return console.fail(ready.error());
    auto log = runtime->device->need(&device::Device::finding_log);
    if (!log) return console.fail(log.error());
    runtime->launch.counters = false;
    auto launched = launch_bounded(o.launch, *prepared, *runtime, *ready, console);
    auto findings = (*log)->findings();
    // What ended the launch is among the findings, unless it is no doing of the kernel's.
    if (!launched && (launched.error().kind != ErrorKind::fault || findings.empty()))
        return console.fail(launched.error());
    if (launched && !launched->output.empty()) console.note("the kernel printed: " + launched->output);
    // A kernel names the files it likes: lines are shown of the one that the user has named.
    return give_findings(o, findings, console, only_file(o.launch.file));
}

/// Counts rungs, and tells of those that could not run.
class Watcher final : public lab::Observer {
public:
    Watcher(Console& console, const device::FindingLog& log) : console_(console), log_(log) {}
    void failed(const Error& error) override {
        if (error.kind != ErrorKind::fault) code = console_.fail(error);  // faults are findings
    }
    void note(const std::string& text) override { console_.note(text); }
    Result<void> compiled() override { return end_of_compiling(); }
    void finished(const record::Record& r) override {
        if (r.left_out || !r.device.starts_with("emulated")) return;
        ++rungs;
        const auto now = log_.findings().size();
        console_.note(fmt::format(
            "{}: {}", r.rung,
            now == seen_
                ? "nothing found"
                : fmt::format("{} found{}", now - seen_,
                              r.known_incorrect ? ", as it should be: the rung is known to be incorrect" : "")));
        seen_ = now;
    }
    int code = 0;
    std::size_t rungs = 0;

private:
    Console& console_;
    const device::FindingLog& log_;
    std::size_t seen_ = 0;
};

int check_ladder(const CheckOptions& o, Console& console) {
    auto axes = lab::parse_axes(o.axes);
    if (!axes) return console.fail(axes.error());
    auto ladder = ladder::find_ladder(o.ladder);
    if (!ladder) return console.fail(ladder.error());
    std::vector<lab::Size> sizes;
    for (const std::string& text : lab::split_list(o.sizes)) {
        auto size = lab::parse_size(text, ladder->size_names.size());
        if (!size) return console.fail(size.error());
        sizes.push_back(std::move(*size));
    }
    auto run = o.launch.run;
    run.sources = std::make_shared<SourceFiles>(only_below(ladder->folder));
    auto runtime = make_runtime(run);
    if (!runtime) return console.fail(runtime.error());
    auto log = runtime->device->need(&device::Device::finding_log);
    if (!log) return console.fail(log.error());
    runtime->launch.counters = false;
    Watcher watcher(console, **log);
    auto context = runtime->context(o.launch.run, &watcher);
    context.options.launch.counters = false;
    context.compile_first = o.launch.run.untrusted;
    auto set = lab::run_ladder(context, o.ladder, lab::split_list(o.rungs), *axes, sizes);
    if (!set) return console.fail(set.error());
    if (watcher.code) return watcher.code;
    return give_findings(o, (*log)->findings(), console, only_below(ladder->folder));
}

int check_program(CheckOptions& o, Console& console) {
    auto& p = o.program;
    p.words = {o.launch.file};
    p.words.insert(p.words.end(), o.arguments.begin(), o.arguments.end());
    p.defines = o.launch.defines;
    p.includes = o.launch.includes;
    p.host_lines = true;
    p.run = o.launch.run;
    auto ran = run_checked(p, o.checkers, console);
    if (!ran) return console.fail(ran.error());
    // Whoever asks for a check must not take silence for a clean program.
    std::string nothing;
    if (!ran->looked) {
        nothing = o.launch.file + (ran->signal ? " could not tell any more what was found: nothing is reported"
                                               : " made no use of a GPU: nothing was checked");
        console.note(nothing);
    } else if (const auto set = o.launch.run.checkers;
               ran->kernels == 0 && !ran->signal && (set & record::kKernelCheckers) != 0) {
        // Launches that fail are the matter of the checker of calls, which has looked at them.
        const std::string why = o.launch.file + " launched no kernel: nothing was checked in kernels" +
                                (ran->trouble.empty() ? "" : " (" + ran->trouble + ")");
        if (ran->trouble.empty() || (set & static_cast<std::uint32_t>(record::Checker::api)) == 0) nothing = why;
        console.note(why);
    }
    const auto& findings = ran->findings;
    const bool to_files = o.json || o.sarif || o.junit || o.markdown;
    const int code = ran->looked || to_files ? give_findings(o, findings, console, {}, o.launch.file, nothing) : 0;
    const auto lineless = [](const record::Finding& f) { return f.at.file.ends_with(".ptx"); };
    if (std::any_of(findings.begin(), findings.end(), lineless))
        console.note("of some kernels only the PTX is known, not the source lines: build the program with -lineinfo");
    if (o.schedules > 0) {
        auto difference = first_difference_of_schedules(p, o.schedules, console);
        if (!difference) return console.fail(difference.error());
        console.error_text("==warpwright== " + o.launch.file + "\n" +
                           (difference->empty() ? "device memory is the same after every launch in " +
                                                      counted(o.schedules, "other schedules") + "\n"
                                                : *difference));
        if (!difference->empty()) return o.error_exitcode;
    }
    // The program's own word stands, unless a code for findings was asked for.
    if (ran->code != 0 && !(code != 0 && o.own_exitcode)) return ran->code;
    return code == 0 && !nothing.empty() ? kNothingChecked : code;
}

/// The checkers that Compute Sanitizer's words mean: its memcheck looks at calls too, and at leaks only when asked to.
Result<void> settle_tool(CheckOptions& o) {
    const std::pair<const char*, const char*> tools[] = {
        {"memcheck", "memory,api"}, {"racecheck", "race"}, {"initcheck", "init"}, {"synccheck", "sync"}};
    if (!o.leak_check.empty() && o.leak_check != "full" && o.leak_check != "no")
        return Error{ErrorKind::usage, "--leak-check is full or no", Location{}, ""};
    if (o.tool.empty()) {
        if (o.leak_check == "no" && o.checkers == "all")
            o.checkers =
                record::checker_names(record::kAllCheckers & ~static_cast<std::uint32_t>(record::Checker::leak), ",");
        return {};
    }
    std::vector<std::string> known;
    for (const auto& [name, checkers] : tools) {
        known.emplace_back(name);
        if (o.tool != name) continue;
        o.checkers = checkers;
        if (o.leak_check == "full") o.checkers += ",leak";
        return {};
    }
    const std::string guess = did_you_mean(o.tool, known);
    return Error{ErrorKind::usage, "there is no tool '" + o.tool + "'", Location{},
                 (guess.empty() ? "" : guess + " ") +
                     "memcheck, racecheck, initcheck, synccheck; without --tool all of them run"};
}

/// A confined child writes no files.
Result<void> refuse_untrusted(const CheckOptions& o) {
    const auto file = [](const auto& word) { return word && !standard(word); };
    if (file(o.json) || file(o.sarif) || o.junit || o.markdown || !o.log.empty())
        return not_untrusted("a file for the findings", "--json or --sarif without a file, to standard output");
    return {};
}

int check(CheckOptions& o, Console& console) {
    if (auto ok = settle_tool(o); !ok) return console.fail(ok.error());
    auto set = record::parse_checkers(o.checkers);
    if (!set) return console.fail(set.error());
    o.launch.run.checkers = *set;
    o.launch.run.device = "emulated";
    if (o.ladder.empty() == o.launch.file.empty())
        return console.fail(Error{ErrorKind::usage,
                                  o.ladder.empty() ? "check needs a program, a kernel or a ladder"
                                                   : "check takes a file or a ladder, not both",
                                  Location{},
                                  "a program: ./app or app.cu; a kernel: FILE --kernel NAME; a ladder: --ladder NAME"});
    if (standard(o.json) && standard(o.sarif))
        return console.fail(Error{ErrorKind::usage, "JSON and SARIF cannot both go to standard output", Location{},
                                  "give one of them a file"});
    if (o.launch.run.untrusted)
        if (auto ok = refuse_untrusted(o); !ok) return console.fail(ok.error());
    if (auto ok = check_writable({o.json, o.sarif, o.junit, o.markdown, o.log}); !ok) return console.fail(ok.error());
    if (o.schedules > 0 &&
        (!o.ladder.empty() || o.launches_kernel || o.launch.run.untrusted || !is_whole_program(o.launch.file)))
        return console.fail(Error{ErrorKind::usage, "--schedules is for whole programs", Location{},
                                  fmt::format("a kernel or a ladder runs in another one with {}=reverse",
                                              settings::variable(Setting::schedule))});
    if (!o.ladder.empty())
        return o.launch.run.untrusted
                   ? confined_ladder(o.launch.run, o.ladder, {}, console, [&] { return check_ladder(o, console); })
                   : check_ladder(o, console);
    // What is said of a launch means a kernel, whatever else is in the file.
    if (!o.launches_kernel && !o.launch.run.untrusted && is_whole_program(o.launch.file))
        return check_program(o, console);
    if (auto ok = check_regular_file(o.launch.file); !ok) return console.fail(ok.error());
    if (!o.arguments.empty())
        return console.fail(Error{
            ErrorKind::usage,
            "'" + o.arguments[0] + "' is an argument of a program, and " + o.launch.file + " is checked as a kernel",
            Location{}, "a kernel's arguments are given with --arg"});
    return maybe_confined(o.launch, console, [&] { return check_kernel(o, console); });
}

/// Options of a launch; those that only a kernel has are added to `of_kernel`.
void add_kernel_options(CLI::App& c, CheckOptions& o, std::vector<CLI::Option*>& of_kernel) {
    of_kernel.push_back(c.add_option("--kernel", o.launch.kernel, "its name; may be left out where there is only one")
                            ->type_name("NAME"));
    of_kernel.push_back(c.add_option("--grid", o.launch.grid, "blocks: 64 or 16x16 or 8x8x4")
                            ->type_name("EXTENT")
                            ->capture_default_str());
    of_kernel.push_back(c.add_option("--block", o.launch.block, "threads of a block: 256 or 16x16")
                            ->type_name("EXTENT")
                            ->capture_default_str());
    c.add_option("--shared", o.launch.shared, "dynamic shared memory, bytes")
        ->type_name("BYTES")
        ->capture_default_str();
    of_kernel.push_back(c.add_option("--arg", o.launch.arguments, "one argument, in order (as of launch)")
                            ->type_name("ARG")
                            ->expected(1)
                            ->take_all()
                            ->allow_extra_args(false));
    c.add_option("--define,-D", o.launch.defines, "a macro for the compiler")
        ->type_name("NAME[=V]")
        ->take_all()
        ->allow_extra_args(false);
    c.add_option("--include,-I", o.launch.includes, "a folder for #include")
        ->type_name("DIR")
        ->take_all()
        ->allow_extra_args(false);
    c.add_flag("--cooperative", o.launch.cooperative, "a cooperative launch (grid-wide barriers)");
}

void add_ladder_options(CLI::App& c, CheckOptions& o) {
    c.add_option("--ladder", o.ladder, "the rungs of a ladder instead of a file")->type_name("NAME");
    c.add_option("--rung", o.rungs, "of the ladder: rungs by name, number or pattern")->type_name("R,...");
    c.add_option("--size", o.sizes, "of the ladder: problem sizes")->type_name("N,...");
    c.add_option("--axis", o.axes, "of the ladder: values of an axis (may be repeated)")->type_name("NAME=V,...");
}

/// Which checkers run, by our names or by those of Compute Sanitizer.
void add_checker_options(CLI::App& c, CheckOptions& o) {
    auto* checkers =
        c.add_option("--checkers", o.checkers, "which: " + record::checker_names(record::kAllCheckers, ",") + " or all")
            ->type_name("LIST")
            ->capture_default_str();
    c.add_option("--tool", o.tool, "as Compute Sanitizer has it: memcheck, racecheck, initcheck or synccheck")
        ->type_name("NAME")
        ->excludes(checkers);
    c.add_option("--leak-check", o.leak_check, "full, or no: leaks with --tool memcheck, or without --tool")
        ->type_name("WHICH");
}

/// Where the findings go.
void add_output_options(CLI::App& c, CheckOptions& o) {
    c.add_option("--json", o.json, "findings as JSON: to FILE, or to standard output (-) in place of the text")
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str("-");
    c.add_option("--sarif", o.sarif, "findings as SARIF 2.1.0: likewise")
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str("-");
    c.add_option("--junit", o.junit, "a test for each finding and each checker, as JUnit's XML")->type_name("FILE");
    c.add_option("--markdown", o.markdown, "the findings as Markdown: for a step's summary, or a comment")
        ->type_name("FILE");
    c.add_option("--log,--log-file", o.log,
                 "the text goes to a file; without it: to standard output, beside a program to standard error")
        ->type_name("FILE");
}

void add_program_options(CLI::App& c, CheckOptions& o) {
    c.add_option("--compile-flag", o.program.flags, "of a whole program: a further flag for the compiler or linker")
        ->type_name("FLAG")
        ->take_all()
        ->allow_extra_args(false);
    add_several_devices(c, o.program);
    add_memory_options(c, o.program);
    c.add_option("--cuda-path", o.program.cuda_path, "of a whole program: a CUDA toolkit whose headers may be included")
        ->type_name("DIR");
}

void add_run_options(CLI::App& c, CheckOptions& o) {
    constexpr unsigned kMostSchedules = 1000;
    c.add_option(
         "--schedules", o.schedules,
         "of a whole program: it runs in N other orders of blocks and warps too, and what they leave in memory is "
         "compared")
        ->type_name("N")
        ->check(CLI::Range(1u, kMostSchedules));
    c.add_option("--model", o.launch.run.model, "device model for limits (see: warpwright device)")->type_name("NAME");
    c.add_option("--threads", o.launch.run.threads, "host threads; 0 = one for each core that may be used")
        ->type_name("N")
        ->capture_default_str();
    c.add_option("--timeout", o.launch.run.timeout,
                 "seconds that a launch, or compiling a kernel, may take; 0 = no limit")
        ->type_name("S")
        ->capture_default_str();
}

}  // namespace

Command add_check(CLI::App& app) {
    auto o = std::make_shared<CheckOptions>();
    auto* c = app.add_subcommand("check", "find races, bad accesses, uninitialised reads and misused barriers");
    c->add_option(
        "file", o->launch.file,
        "CUDA C++ (.cu), OpenCL C (.cl) or PTX (.ptx); or a whole program: a .cu file with main(), or an executable");
    c->add_option("arguments", o->arguments, "of a whole program (after --)");
    std::vector<CLI::Option*> of_kernel;
    add_kernel_options(*c, *o, of_kernel);
    add_ladder_options(*c, *o);
    add_checker_options(*c, *o);
    auto* code =
        c->add_option("--error-exitcode", o->error_exitcode, "exit code where an error is found; warnings do not count")
            ->type_name("N")
            ->check(CLI::Range(0, 255))
            ->capture_default_str();
    add_output_options(*c, *o);
    add_program_options(*c, *o);
    add_run_options(*c, *o);
    add_untrusted(*c, o->launch.run);
    return {c, [=](Console& console) {
                o->own_exitcode = code->count() != 0;
                o->launches_kernel = std::any_of(of_kernel.begin(), of_kernel.end(),
                                                 [](const CLI::Option* option) { return option->count() > 0; });
                for (auto [name, file] : {std::pair("--json", &o->json), {"--sarif", &o->sarif}})
                    if (c->get_option(name)->count() && !*file) *file = "-";
                return check(*o, console);
            }};
}

}  // namespace warpwright::cli
