// warpwright run: a whole program on the emulated GPU, and what it did there.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <filesystem>

#include "arch/model.hpp"
#include "cli/commands/compared_run.hpp"
#include "cli/commands/hosts.hpp"
#include "cli/commands/other_models.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/commands/profile_page.hpp"
#include "cli/commands/program_run.hpp"
#include "cli/commands/result_store.hpp"
#include "cli/commands/run_habits.hpp"
#include "cli/commands/run_on_gpu.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/whole_program.hpp"
#include "cli/habits.hpp"
#include "cli/options/options.hpp"
#include "compile/ptxas/ptxas.hpp"
#include "device/emulated/emulated.hpp"
#include "report/program.hpp"
#include "support/disk_cache.hpp"
#include "support/library_search.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;
using settings::variable;
namespace {

Result<std::string> read_text(const std::string& file) { return read_file(file, file_limit::records); }

/// What both devices are told.
std::map<std::string, std::string> selection(const ProgramOptions& o) {
    std::map<std::string, std::string> e;
    if (o.trace || o.html || o.gpu_trace) e[variable(Setting::events)] = "1";
    if (o.html) e[variable(Setting::pictures)] = "1";
    if (!o.kernel.empty()) e[variable(Setting::kernel)] = o.kernel;
    if (o.launches) e[variable(Setting::launches)] = std::to_string(o.launches);
    if (o.skip) e[variable(Setting::launch_skip)] = std::to_string(o.skip);
    if (o.no_counters) e[variable(Setting::counters)] = "0";
    return e;
}

/// A program ready to start, where its profile will be, and by what model it is judged.
struct Start {
    ReadyProgram program;
    std::string profile;
    arch::DeviceModel model;
    std::string with;                       ///< what measures it; empty: nothing does
    std::vector<arch::DeviceModel> others;  ///< on which it runs once more
};

/// No registers are shown: an assembler that nobody has named is not asked for them, which may take it 20 s.
bool shows_nothing(const ProgramOptions& o) {
    return o.quiet && !o.json && !o.csv && !o.html && !o.trace && o.log.empty();
}

Result<Start> start_emulated(const ProgramOptions& o, Console& console) {
    Start out;
    if (auto usable = device::check_schedule(); !usable) return usable.error();
    if (auto usable = compile::Ptxas::of_process(default_cache_directory()); !usable) return usable.error();
    auto model = arch::load_model(arch::model_or_default(o.run.model));
    if (!model) return std::move(model).error();
    out.model = std::move(*model);
    auto ready = ready_program(o, out.model.file, console);
    if (!ready) return std::move(ready).error();
    out.program = std::move(*ready);
    out.profile = out.program.folder->path() + "/profile.json";
    auto& e = out.program.environment;
    e.merge(selection(o));
    e[variable(Setting::profile)] = out.profile;
    e[variable(Setting::per_line)] = "1";
    if (o.run.bounds || !o.run.predict.empty()) e[variable(Setting::predict)] = o.run.bounds ? "off" : o.run.predict;
    // Where there is no library that is loaded first, nothing keeps the clocks.
    const bool kept = e.contains("LD_PRELOAD") && e.at("LD_PRELOAD").find(kTakeover) != std::string::npos;
    e[variable(Setting::host_clock)] = kept ? o.host_clock : "real";
    if (o.strict) e[variable(Setting::strict)] = "1";
    if (o.profile_emulator) e[variable(Setting::profile_emulator)] = "1";
    if (shows_nothing(o) && settings::text(Setting::ptxas).empty()) e[variable(Setting::ptxas)] = "off";
    if (!o.digest.empty()) {
        e[variable(Setting::digest)] = fs::absolute(o.digest).string();
        std::error_code ec;
        fs::remove(o.digest, ec);  // the program makes it; processes that it starts find it there
    }
    if (o.sample) e[variable(Setting::sample)] = fmt::format("{}", o.sample_error > 0 ? o.sample_error / 100 : 0.02);
    return out;
}

Result<Start> start_on_gpu(const ProgramOptions& o) {
    Start out;
    auto& p = out.program;
    p.folder = std::make_unique<TemporaryFolder>("run");
    if (p.folder->path().empty()) return Error{ErrorKind::internal, "no temporary folder", {}, "set TMPDIR"};
    out.profile = p.folder->path() + "/profile.json";
    auto gpu = prepare_gpu_run(o, out.profile);
    if (!gpu) return std::move(gpu).error();
    if (gpu->model) out.model = *gpu->model;
    out.with = gpu->with;
    p.name = o.words[0];
    p.words = o.words;
    if (fs::path(p.name).extension() == ".cu") {
        p.words[0] = p.folder->path() + "/" + fs::path(p.name).stem().string();
        if (auto ok = build_with_nvcc(o, p.name, p.words[0]); !ok) return ok.error();
    }
    p.words[0] = find_program(p.words[0]);
    if (p.words[0].empty()) return no_program(p.name);
    p.environment = selection(o);
    p.environment.merge(gpu->environment);
    return out;
}

/// Calls that move or hold the program's data: where one fails, its kernels compute with something else.
bool is_of_memory(const std::string& call) {
    return call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset") || call.starts_with("cudaMalloc") ||
           call.starts_with("cuMemcpy") || call.starts_with("cuMemset") || call.starts_with("cuMemAlloc");
}

/// What went wrong with a program's kernels, as a line for people; empty where nothing did.
std::string trouble_of(const profile::Profile& p) {
    std::uint64_t failed = 0;
    std::string calls;
    for (const auto& c : p.calls) {
        if (c.name == "cudaLaunchKernel" || c.name == "cudaLaunchKernelExC" ||
            c.name == "cudaLaunchCooperativeKernel" || c.name == "cudaGraphLaunch")
            failed += c.failed;
        // After a kernel's fault all calls fail: the fault is what is told.
        if (c.failed && p.faults.empty() && is_of_memory(c.name))
            calls += fmt::format("{}{} failed{}", calls.empty() ? "" : ", ", c.name,
                                 c.failed == 1 ? "" : fmt::format(" {} times", c.failed));
    }
    std::string out;
    if (failed) out = fmt::format("{} launch{} failed", failed, failed == 1 ? "" : "es");
    if (!calls.empty()) out += (failed ? ", and " : "") + calls;
    if (!p.faults.empty())
        out += fmt::format("{}a kernel was ended by an error: {}", out.empty() ? "" : ", and ", p.faults.front().text);
    if (!p.findings.empty()) {
        const auto n = p.findings.size();
        out += fmt::format("{}{} line{} reach{} past the end of an allocation", out.empty() ? "" : ", and ", n,
                           n == 1 ? "" : "s", n == 1 ? "es" : "");
    }
    return out;
}

/// Stores the run as records, unless it has none: an empty run would be `last`.
void keep_run(const ProgramOptions& o, const profile::Profile& p, Console& console) {
    if (o.keep.none || (p.kernels.empty() && p.copies.empty())) return;
    record::Environment here;
    here.version = WARPWRIGHT_VERSION;
    here.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    auto data = run_data_of(p, std::move(here));
    Keeper keeper(o.keep, console, o.run.timeout);
    if (auto ok = keeper.begin(o.command, data.set.environment); !ok) {
        console.note("the run is not stored: " + ok.error().text());
        return;
    }
    keeper.settle_all(data, true);
}

Result<void> report(const ProgramOptions& o, const Start& start, int signal, const PageBeside& beside,
                    Console& console) {
    const std::string &name = start.program.name, &file = start.profile, &with = start.with;
    const arch::DeviceModel& model = start.model;
    auto text = read_text(file);
    if (!text) {
        console.note(name + (signal ? " could not tell any more what it did on a GPU: nothing to report"
                                    : " made no use of a GPU: nothing to report"));
        return {};
    }
    auto p = profile::from_json(*text, file);
    if (!p) return p.error();
    if (p->measured()) {
        p->device += " (" + with + ")";
        p->model = model.name, p->model_file = model.file;
    }
    // A source file is built in a temporary folder, whose path tells nobody anything.
    const bool built = is_program_source(name) && !p->program.empty();
    if (built) p->program[0] = name;
    run_on_models({start.program.words, start.program.environment, name, start.program.folder->path()}, start.others,
                  *p, console);
    report::Selection selection;
    selection.kernel = o.kernel;
    selection.metrics = o.metrics;
    auto source = [files = SourceFiles()](const std::string& path, unsigned line) mutable {
        return files.line(path, line);
    };
    keep_run(o, *p, console);
    if (o.json) {
        keep_sources(*p, source);
        if (auto ok = write_or_print(*o.json, profile::to_json(*p), console); !ok) return ok;
    }
    if (o.csv)
        if (auto ok = write_or_print(*o.csv, report::program_csv(*p, model, selection), console); !ok) return ok;
    if (o.trace)
        if (auto ok = write_or_print(*o.trace, report::program_trace(*p), console); !ok) return ok;
    auto words = Words::load_all(page_language(o.language));
    if (!words) return std::move(words).error();
    if (o.html)
        if (auto ok = write_or_print(*o.html, profile_page(*p, model, selection, source, *words, beside), console); !ok)
            return ok;
    if (const auto trouble = trouble_of(*p); !trouble.empty())
        console.note(
            fmt::format("{}: {} ({} tells more)", name, trouble,
                        with.empty() ? "warpwright check " + name : "compute-sanitizer, or warpwright check,"));
    if (o.quiet) return {};
    // A file has no width.
    const std::size_t width = o.log.empty() ? console.error_text_width() : 0;
    const std::string out = o.gpu_trace ? report::program_gpu_trace(*p, *words, width, o.metrics)
                                        : report::program_text(*p, model, selection, source, *words, width);
    if (o.log.empty())
        console.error_text("==warpwright== " + name + "\n" + out);
    else if (auto ok = write_or_print(o.log, out, console); !ok)
        return ok;
    return {};
}

/// nvprof's --csv takes no file: it is easily the program that ours has taken.
Error no_program(const ProgramOptions& o) {
    for (const auto& [option, file] : {std::pair("--csv", o.csv), {"--json", o.json}, {"--trace", o.trace}})
        if (std::error_code ec; file && !file->empty() && std::filesystem::is_regular_file(*file, ec))
            return Error{ErrorKind::usage,
                         fmt::format("no program to run: {} has taken '{}' as the file to write", option, *file),
                         {},
                         fmt::format("{} FILE, then the program", option)};
    return Error{ErrorKind::usage, "no program to run", {}, "warpwright run ./app -- args"};
}

}  // namespace

/// Joins the other hosts and tells the program where it reaches them.
static Result<std::unique_ptr<Hosts>> join_hosts(ProgramOptions& o) {
    if (!o.hosts) return std::unique_ptr<Hosts>();
    if (o.run.device != "emulated" || o.sample)
        return Error{ErrorKind::usage, "--hosts is of the emulated device, and of all blocks", {}, ""};
    auto hosts = Hosts::join();
    if (hosts) o.run.threads = (*hosts)->threads(o.run.threads);
    return hosts;
}

int run_whole(const ProgramOptions& given, Console& console) {
    ProgramOptions o = given;
    if (o.query_metrics) {
        console.out(list_metrics());
        return 0;
    }
    if (o.hosts && Hosts::is_other()) return serve_host(o.run, console);
    if (auto ok = settle_habits(o); !ok) return console.fail(ok.error());
    if (o.words.empty()) return console.fail(no_program(o));
    if (!(o.sample_error >= 0 && o.sample_error <= 100) || (o.sample_error > 0 && !o.sample))
        return console.fail(Error{
            ErrorKind::usage,
            o.sample ? "--sample-error is not a number of percent from 0 to 100" : "--sample-error goes with --sample",
            {},
            ""});
    const auto simulate = which_simulated(o.run, o.run.device != "emulated");
    if (!simulate) return console.fail(simulate.error());
    if (!o.run.predict.empty() && *simulate != predict::Simulate::none && (o.sample || o.no_counters))
        return console.fail(
            Error{ErrorKind::usage, "--predict needs all counts: it cannot go with --sample or --no-counters", {}, ""});
    if (!o.digest.empty() && (o.run.device != "emulated" || o.sample))
        return console.fail(Error{ErrorKind::usage, "--digest is of the emulated device, and of all blocks", {}, ""});
    if (o.profile_emulator && o.run.device != "emulated")
        return console.fail(
            Error{ErrorKind::usage, "--profile-emulator is of the emulated device", {}, "leave out --device"});
    if (o.sample && o.no_counters)
        return console.fail(Error{ErrorKind::usage, "--sample is for counts: it cannot go with --no-counters", {}, ""});
    if (auto ok = check_writable({o.json, o.csv, o.html, o.trace, o.log, o.digest}); !ok)
        return console.fail(ok.error());
    if (auto ok = check_language(o.language); !ok) return console.fail(ok.error());
    const auto beside = read_beside(o.base, o.findings, o.html.has_value());
    if (!beside) return console.fail(beside.error());
    auto others = other_models(o, arch::model_or_default(o.run.model));
    if (!others) return console.fail(others.error());
    auto hosts = join_hosts(o);
    if (!hosts) return console.fail(hosts.error());
    auto start = o.run.device == "emulated" ? start_emulated(o, console) : start_on_gpu(o);
    if (!start) return console.fail(start.error());
    start->others = std::move(*others);
    auto& program = start->program;
    if (*hosts) {
        const auto path = program.environment[variable(Setting::hosts)] = program.folder->path() + "/hosts";
        if (auto ok = (*hosts)->listen(path); !ok) return console.fail(ok.error());
    }
    auto ended = run_program(program.words, program.environment, !o.digest.empty());
    if (!ended) return console.fail(ended.error());
    if (ended->signal)
        console.note(
            fmt::format("{} was ended by signal {} ({})", program.name, ended->signal, ::strsignal(ended->signal)));
    int code = ended->code;
    if (auto ok = report(o, *start, ended->signal, *beside, console); !ok) {
        const int failed = console.fail(ok.error());
        if (code == 0) code = failed;
    }
    if (*hosts) (*hosts)->end(console);
    if (*hosts && (*hosts)->somebody_lost()) {
        start->program.folder.reset();
        leave(code);
    }
    return code;
}

Result<CheckedProgram> run_checked(const ProgramOptions& o, const std::string& checkers, Console& console) {
    if (auto usable = device::check_schedule(); !usable) return usable.error();
    auto model = arch::load_model(arch::model_or_default(o.run.model));
    if (!model) return model.error();
    auto ready = ready_program(o, model->file, console);
    if (!ready) return ready.error();
    const std::string data = ready->folder->path() + "/findings.json";
    auto& e = ready->environment;
    e[variable(Setting::mode)] = "check";
    e[variable(Setting::host_clock)] = "real";
    e[variable(Setting::checkers)] = checkers;
    e[variable(Setting::findings)] = data;
    // Which kernels were looked at, stands in the profile.
    const std::string profile = ready->folder->path() + "/profile.json";
    e[variable(Setting::profile)] = profile;
    auto ended = run_program(ready->words, e);
    if (!ended) return ended.error();
    if (ended->signal)
        console.note(
            fmt::format("{} was ended by signal {} ({})", ready->name, ended->signal, ::strsignal(ended->signal)));
    CheckedProgram out;
    out.code = ended->code;
    out.signal = ended->signal;
    if (auto text = read_text(data)) {
        auto findings = record::read_findings(*text);
        if (!findings) return findings.error();
        out.looked = true, out.findings = std::move(*findings);
    }
    if (auto text = read_text(profile)) {
        auto p = profile::from_json(*text, profile);
        if (!p) return p.error();
        for (const auto& k : p->kernels) out.kernels += k.times.calls;
        out.kernels += p->faults.size();
        out.trouble = trouble_of(*p);
    }
    return out;
}

}  // namespace warpwright::cli
