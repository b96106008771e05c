// warpwright lab: the rungs of a ladder, one after the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <regex>
#include <thread>

#include "cli/commands/output_files.hpp"
#include "cli/commands/result_store.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/habits.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/options.hpp"
#include "cli/paragraphs.hpp"
#include "cli/restart_after_fault.hpp"
#include "device/cuda/cuda_device.hpp"
#include "host/machine.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/group.hpp"
#include "lab/sweep/mpi_sweep.hpp"
#include "lab/sweep/sweep.hpp"
#include "ladder/find.hpp"
#include "report/progress.hpp"
#include "support/settings.hpp"
#include "text/words.hpp"
#include "tune/tuned.hpp"

namespace warpwright::cli {
namespace {

/// The rungs of a ladder that `wanted` names, with their axes, its sizes, and its own axes; empty where it has none.
std::string ladder_text(const ladder::Ladder& ladder, const std::optional<std::regex>& wanted) {
    std::string rungs;
    for (const ladder::Rung& rung : ladder.rungs) {
        if (wanted && !std::regex_search(rung.name, *wanted)) continue;
        std::string axes;
        for (const ladder::Axis& axis : rung.axes) {
            axes += fmt::format("{}{} ", axes.empty() ? "  [" : ", ", axis.name);
            for (std::size_t i = 0; i < axis.values.size(); ++i) axes += (i ? "," : "") + axis.values[i].text;
        }
        rungs +=
            fmt::format("  {:2}  {:<20} {}{}\n", rung.number, rung.name, rung.title, axes.empty() ? "" : axes + "]");
    }
    if (rungs.empty()) return {};
    std::string sizes;
    for (const auto& size : ladder.default_sizes) sizes += (sizes.empty() ? "" : ", ") + ladder::size_text(size);
    std::string out = fmt::format("{}  {}\n{}  default size {}", ladder.name, ladder.title, rungs, sizes);
    for (const ladder::Axis& axis : ladder.axes) {
        out += "; " + axis.name + " ";
        for (std::size_t i = 0; i < axis.values.size(); ++i) out += (i ? "," : "") + axis.values[i].text;
    }
    return out + "\n\n";
}

/// The expression of --filter; absent where there is none.
Result<std::optional<std::regex>> filter_of(const std::string& text) try {
    if (text.empty()) return std::optional<std::regex>{};
    return std::optional<std::regex>(std::regex(text));
} catch (const std::regex_error&) {
    return Error{ErrorKind::usage, "--filter '" + text + "' is not a regular expression", Location{},
                 "--filter 'tiled|naive' is one"};
}

/// Experiments and ladders, or with a filter the rungs that it takes.
int list_ladders(const std::string& filter, Console& console) {
    auto wanted = filter_of(filter);
    if (!wanted) return console.fail(wanted.error());
    auto words = Words::load("en");
    if (!words) return console.fail(words.error());
    std::string out;
    for (const lab::Experiment& e : lab::experiments())
        if (!*wanted || std::regex_search(std::string(e.name), **wanted))
            out += fmt::format("{:<14} {}\n", e.name, (*words)(std::string(e.name) + ".title"));
    if (!out.empty())
        out = paragraph(
                  "Experiments: lab NAME shows the page of one. Those that are ladders below show the table of their "
                  "rungs instead where rungs, sizes, axes or the form of the table are chosen, unless --page asks for "
                  "the page.",
                  console.width() ? console.width() : kProseWidth) +
              "\n" + out + "\n";
    std::string ladders;
    for (const ladder::LadderPlace& place : ladder::list_ladders()) {
        auto ladder = ladder::read_ladder(place.file);
        if (!ladder) return console.fail(ladder.error());
        ladders += ladder_text(*ladder, *wanted);
    }
    if (!ladders.empty()) out += "Ladders of kernels\n\n" + ladders;
    if (out.empty() && !filter.empty())
        return console.fail(Error{ErrorKind::usage, "--filter '" + filter + "' matches no experiment and no rung",
                                  Location{}, "warpwright lab lists them all"});
    if (out.empty())
        return console.fail(Error{ErrorKind::input, "no ladders are installed", Location{},
                                  fmt::format("{} names folders of ladders", settings::variable(Setting::kernels))});
    console.out(out + paragraph("warpwright lab NAME runs one; a folder with a ladder.toml of your own serves as well. "
                                "lab --all --report FILE runs everything.",
                                console.width()));
    return 0;
}

bool is_ladder(const std::string& name) {
    const auto all = ladder::list_ladders();
    return std::any_of(all.begin(), all.end(), [&](const ladder::LadderPlace& place) { return place.name == name; });
}

/// Of an experiment that is a ladder as well: who chooses of the ladder, or of the table's form, means the ladder.
bool wants_table(const LabOptions& o) {
    return !o.sizes.empty() || !o.rungs.empty() || !o.axes.empty() || o.output.brief || o.output.no_why ||
           !o.output.columns.empty() || o.output.json || o.output.csv || o.no_time || o.run.per_line ||
           !o.go_on.empty() || !o.tuned.file.empty() || o.tuned.none || !o.models.empty();
}

/// Shows and says what happens, and goes on in a new process where this one has lost the device.
class Watcher final : public lab::Observer {
public:
    Watcher(const LabOptions& options, const Runtime& runtime, Keeper& keeper, Console& console)
        : options_(options), runtime_(runtime), keeper_(keeper), console_(console) {}
    ~Watcher() override { console_.tell_repeats(); }

    void progress(const lab::Progress& p) override {
        if (!console_.shows_progress()) return;
        report::Progress bar(p.total, p.ladder + " " + p.label);
        bar.done(p.done);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        console_.progress(bar.line(elapsed.count(), console_.error_width() - 1, console_.unicode()));
    }
    void failed(const Error& error) override { (void)console_.fail_once(error); }
    void note(const std::string& text) override { console_.note(text); }
    void leave() override { console_.leave_at_once(); }
    Result<void> compiled() override { return end_of_compiling(); }
    void finished(const record::Record& record) override { keeper_.add(record); }
    std::optional<record::Record> stored(const record::Record& wanted) override { return keeper_.stored(wanted); }
    Error go_on(const lab::Standing& standing) override {
        const std::string device = runtime_.device->name();
        if (lab::several_processes())  // MPI does not take another process in this one's place
            return Error{ErrorKind::no_device, device + " does not answer after what happened before", Location{},
                         "--resume goes on with what is left"};
        if (options_.self.empty())
            return Error{ErrorKind::no_device, device + " does not answer after what happened before", Location{},
                         "start the program again with the rungs that are left"};
        console_.note(device + " does not answer this process any more: going on in a new one");
        (void)console_.flush();
        return cli::go_on(options_.self, options_.words,
                          {code(standing.failure), runtime_.seed, keeper_.run(), standing});
    }

    /// The exit code, of an earlier process of this sweep first.
    int code(std::optional<ErrorKind> failure) const {
        return before_ != 0 ? before_ : failure ? exit_code(*failure) : 0;
    }
    void begin_at(int code) { before_ = code; }

private:
    const LabOptions& options_;
    const Runtime& runtime_;
    Keeper& keeper_;
    Console& console_;
    int before_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Leaves behind, instead of destroying, what something that cannot be stopped still uses.
struct Leaving {
    std::unique_ptr<lab::Sweep>& sweep;
    std::unique_ptr<device::Device>& device;
    Console& console;
    ~Leaving() {
        if (!console.leaves_at_once()) return;
        (void)sweep.release();
        (void)device.release();
    }
};

/// What a sweep needs, from the user's words.
struct Prepared {
    std::optional<lab::Plan> plan;
    std::optional<Runtime> runtime;
    Standing standing;
    std::string tuned_file;
    std::vector<tune::Used> used;
};

Result<void> prepare(LabOptions& options, Keeper& keeper, Prepared& out) {
    if (auto ok = check_output(options.output); !ok) return ok;
    if (auto ok = check_language(options.pages.language); !ok) return ok;
    if (options.tuned.none && !options.tuned.file.empty())
        return Error{ErrorKind::usage, "--no-tuned takes no tuned values, and --tuned names a file of them", Location{},
                     "one of the two"};
    auto ladder = ladder::find_ladder(options.ladder);
    if (!ladder) return std::move(ladder).error();
    auto axes = parse_axes(options.axes);
    if (!axes) return std::move(axes).error();
    std::vector<lab::Size> sizes;
    for (const std::string& text : split_list(options.sizes)) {
        auto range = lab::parse_sizes(text, ladder->size_names.size());
        if (!range) return std::move(range).error();
        sizes.insert(sizes.end(), range->begin(), range->end());
    }
    auto plan = lab::make_plan(std::move(*ladder), split_list(options.rungs), *axes, sizes);
    if (!plan) return std::move(plan).error();
    out.plan = std::move(*plan);
    if (!options.go_on.empty()) {
        auto read = read_standing(options.go_on);
        if (!read) return std::move(read).error();
        out.standing = std::move(*read);
        options.run.seed = out.standing.seed;
    }
    auto runtime = make_runtime(options.run);
    if (!runtime) return std::move(runtime).error();
    out.runtime = std::move(*runtime);
    const record::Environment environment = lab::environment(out.runtime->context(options.run));
    if (!options.tuned.none) {
        out.tuned_file =
            options.tuned.file.empty() ? tune::default_tuned_file(store::default_file()) : options.tuned.file;
        std::error_code ec;
        if (!options.tuned.file.empty() && !std::filesystem::exists(out.tuned_file, ec))
            return Error{ErrorKind::input, "there is no such file of tuned values", Location{out.tuned_file, 0, 0},
                         "warpwright tune writes one"};
        auto entries =
            options.tuned.file.empty() ? tune::read_own_tuned(out.tuned_file) : tune::read_tuned(out.tuned_file);
        if (!entries) return std::move(entries).error();
        auto used = tune::apply(*entries, environment, *axes, *out.plan);
        if (!used) return std::move(used).error();
        out.used = std::move(*used);
    }
    return keeper.begin(command_text(options.words), environment, out.standing.run);
}

/// "tuned values of FILE: tiled TILE=16 at 256 x 256 x 256 (predicted, exhaustive); ...; --no-tuned leaves them out"
std::string used_text(const std::vector<tune::Used>& used, const std::string& file) {
    constexpr std::size_t kMost = 6;
    std::string taken;
    std::vector<std::string> left;
    std::size_t shown = 0, more = 0;
    for (const tune::Used& u : used) {
        if (u.overridden) {
            if (std::find(left.begin(), left.end(), u.entry.rung) == left.end()) left.push_back(u.entry.rung);
            continue;
        }
        if (shown == kMost) {
            ++more;
            continue;
        }
        ++shown;
        std::string at;
        for (const std::int64_t v : u.entry.size) at += (at.empty() ? "" : "x") + std::to_string(v);
        taken += fmt::format("{}{} {} at {}{}{} ({}, {})", taken.empty() ? "" : "; ", u.entry.rung,
                             tune::choices_text(u.entry.axes), at, u.entry.problem.empty() ? "" : " ",
                             tune::choices_text(u.entry.problem), u.entry.measured ? "measured" : "predicted",
                             u.entry.search);
    }
    if (more > 0) taken += fmt::format("; and {} more", more);
    if (!taken.empty()) taken = "tuned values of " + file + ": " + taken + "; --no-tuned leaves them out";
    if (!left.empty())
        taken += (taken.empty() ? "" : "; ") +
                 fmt::format("--axis stands in place of the tuned values of '{}'", fmt::join(left, "', '"));
    return taken;
}

/// Of a machine's cores and GPUs what belongs to this process.
void take_own_share(LabOptions& options, const lab::Spread& spread) {
    if (options.run.threads == 0)
        options.run.threads = std::clamp(std::thread::hardware_concurrency() / std::max(1u, spread.local_size()), 1u,
                                         host::usable_cores());
    if (options.run.device != "auto" && options.run.device != "cuda") return;
    if (options.run.device == "auto" && (options.run.per_line || !options.run.cpu.empty())) return;
    const auto gpus = device::list_cuda();
    if (!gpus || gpus->empty()) return;
    if (const std::size_t own = spread.local_rank() % gpus->size(); own > 0)
        options.run.device = fmt::format("cuda:{}", own);
}

/// `lab --json matmul`: the word after an option with an optional value; a ladder's name is the ladder.
void take_ladder_from_file_options(LabOptions& options) {
    for (auto* file : {&options.output.json, &options.output.csv}) {
        if (!options.ladder.empty() || !*file) continue;
        if (is_ladder(**file) || lab::find_experiment(**file)) options.ladder = **file, *file = "-";
    }
}

/// Whether pages are meant, not the table of a ladder.
bool wants_pages(const LabOptions& options) {
    return options.pages.all || options.pages.page || options.pages.any_file() ||
           (lab::find_experiment(options.ladder) && !(is_ladder(options.ladder) && wants_table(options)));
}

/// Tells what keeps this process, or another one of an mpirun, from beginning. The exit code; absent where nothing
/// does. Of several processes only the first one tells and has a code.
std::optional<int> refusal(lab::Spread* spread, const Result<void>& ready, const Prepared& p, Console& console) {
    if (!spread) return ready ? std::optional<int>() : console.fail(ready.error());
    const auto errors = spread->agree(ready, p.runtime ? p.runtime->device->name() : "", p.plan ? &*p.plan : nullptr);
    if (errors.empty()) return std::nullopt;
    int code = 0;
    for (const Error& error : errors)
        if (spread->first()) code = code == 0 ? console.fail(error) : (console.fail(error), code);
    return code;
}

/// What was noted before the sweep: on the device, and of tuned values and processes.
void give_notes(const Prepared& p, const lab::Spread* spread, Console& console) {
    for (const std::string& note : p.runtime->notes) console.note(note);
    const auto empty = [](const lab::Step& step) {
        return std::find(step.size.begin(), step.size.end(), 0) != step.size.end();
    };
    if (std::any_of(p.plan->steps.begin(), p.plan->steps.end(), empty))
        console.note("a size of 0 makes an empty problem: its times are those of launches alone");
    if (!p.used.empty()) console.note(used_text(p.used, p.tuned_file));
    if (spread)
        console.note(
            fmt::format("{} steps over {} processes ({})", p.plan->steps.size(), spread->size(), spread->title()));
}

/// The records as asked for, and the exit code.
int give_outcome(const LabOptions& options, const Prepared& p, const lab::Spread::Outcome& done, std::size_t steps,
                 const Watcher& watcher, Console& console) {
    if (const std::string compilers = lab::compilers_text(*p.runtime->target); p.runtime->real())
        console.note(fmt::format("inputs of seed {}{}{}", p.runtime->seed, compilers.empty() ? "" : "; ", compilers));
    OutputOptions output = options.output;
    output.language = options.pages.language;
    if (auto ok = give(done.set, output, options.run.per_line, console); !ok) return console.fail(ok.error());
    if (!done.cancelled) return watcher.code(done.failure);
    console.note(
        fmt::format("interrupted: {} of {} steps are done, the others are missing", done.set.records.size(), steps));
    return Interrupt::kCode;
}

/// What one model's sweep came to; the exit code in its place where it could not begin or ended early.
struct ModelSweep {
    std::optional<record::RecordSet> set;
    int code = 0;
};

/// `cpu`: the CPU's rungs run too.
ModelSweep sweep_on_model(LabOptions options, const Interrupt& interrupt, bool cpu, Console& console) {
    Keeper keeper(options.keep, console, options.run.timeout);
    Prepared p;
    if (auto ready = prepare(options, keeper, p); !ready) return {std::nullopt, console.fail(ready.error())};
    if (!cpu) std::erase_if(p.plan->steps, [](const lab::Step& step) { return !step.rung->cpu.empty(); });
    Watcher watcher(options, *p.runtime, keeper, console);
    lab::Context context = p.runtime->context(options.run, &watcher);
    context.cancel = &interrupt.flag();
    std::unique_ptr<lab::Sweep> sweep;
    const Leaving leaving{sweep, p.runtime->device, console};
    if (cpu) give_notes(p, nullptr, console);
    sweep = std::make_unique<lab::Sweep>(context, std::move(*p.plan));
    auto set = sweep->run();
    console.clear_progress();
    if (!set) return {std::nullopt, console.fail(set.error())};
    tune::note(*set, p.used, p.tuned_file);
    keeper.settle(*set, !sweep->cancelled());
    const int code = sweep->cancelled() ? Interrupt::kCode : watcher.code(sweep->failure());
    return {std::move(*set), code};
}

Result<void> check_models(const LabOptions& options) {
    if (!options.run.model.empty() || !options.go_on.empty() || options.keep.resume || lab::several_processes())
        return Error{ErrorKind::usage, "--models cannot go with --model, --resume or several processes", Location{},
                     ""};
    if (options.run.device != "auto" && options.run.device != "emulated")
        return Error{ErrorKind::usage, "--models compares emulated devices, and --device names another one", Location{},
                     "without --device"};
    return {};
}

/// The same sweep on each of these models, in one table. The CPU's rungs run once, with the first model.
int lab_on_models(const LabOptions& options, Console& console) {
    if (auto ok = check_models(options); !ok) return console.fail(ok.error());
    const bool all = options.models == std::vector<std::string>{"all"};
    const Interrupt interrupt;
    record::RecordSet set;
    int code = 0;
    for (const std::string& name : all ? arch::list_models() : options.models) {
        LabOptions one = options;
        one.run.model = name, one.run.device = "emulated";
        ModelSweep done = sweep_on_model(std::move(one), interrupt, set.records.empty(), console);
        if (code == 0) code = done.code;
        if (!done.set) break;  // what the models before it gave is shown
        for (record::Record& r : done.set->records) {
            if (r.model.empty() && r.device != "cpu") r.model = name;
            set.records.push_back(std::move(r));
        }
        set.environment = done.set->environment;
        if (done.code == Interrupt::kCode) break;
    }
    if (set.records.empty()) return code;
    set.environment.model.clear();
    OutputOptions output = options.output;
    output.language = options.pages.language;
    if (auto ok = give(set, output, options.run.per_line, console); !ok) return console.fail(ok.error());
    return code;
}

/// What a confined child cannot give: all but the table of one ladder.
Result<void> refuse_untrusted(const LabOptions& o) {
    const KeepOptions& keep = o.keep;
    if (o.pages.all || o.pages.page || o.pages.any_file() || o.input_file || o.output_file ||
        (lab::find_experiment(o.ladder) && !is_ladder(o.ladder)))
        return not_untrusted("pages", "lab LADDER --untrusted shows the table of a ladder");
    if (!keep.db.empty() || !keep.label.empty() || keep.resume)
        return not_untrusted("the database", "the child's results are not stored");
    if (!o.models.empty()) return not_untrusted("--models", "--model NAME");
    if (lab::several_processes()) return not_untrusted("several processes", "without mpirun");
    return only_standard_output(o.output);
}

int sweep_ladder(LabOptions& options, Console& console) {
    // Of several processes under one mpirun each runs a part, and the first one tells.
    std::unique_ptr<lab::Spread> spread;
    if (lab::several_processes()) {
        auto joined = lab::Spread::join();
        if (!joined) return lab::first_of_processes() ? console.fail(joined.error()) : exit_code(joined.error().kind);
        spread = std::move(*joined);
        take_own_share(options, *spread);
    }
    const bool tells = !spread || spread->first();
    if (!tells) options.keep.none = true, options.keep.resume = false;
    const Interrupt interrupt;
    Keeper keeper(options.keep, console, options.run.timeout);
    Prepared p;
    const Result<void> ready = prepare(options, keeper, p);
    if (const auto code = refusal(spread.get(), ready, p, console)) return *code;
    Watcher watcher(options, *p.runtime, keeper, console);
    watcher.begin_at(p.standing.code);
    lab::Context context = p.runtime->context(options.run, &watcher);
    context.options.cold = options.cache == "cold";
    context.options.no_time = options.no_time;
    context.compile_first = options.run.untrusted;
    context.cancel = &interrupt.flag();
    const std::size_t steps = p.plan->steps.size();
    std::unique_ptr<lab::Sweep> sweep;
    const Leaving leaving{sweep, p.runtime->device, console};
    if (options.go_on.empty() && tells) give_notes(p, spread.get(), console);  // else they were said before
    lab::Spread::Outcome done;
    if (spread) {
        auto outcome = spread->run(context, std::move(*p.plan));
        console.clear_progress();
        if (!outcome) return tells ? console.fail(outcome.error()) : exit_code(outcome.error().kind);
        if (!tells) return 0;
        done = std::move(*outcome);
    } else {
        // On the heap, for it may have to stay: something of it may still be at work when this ends.
        sweep = std::make_unique<lab::Sweep>(context, std::move(*p.plan));
        sweep->begin_at(std::move(p.standing.sweep));
        auto set = sweep->run();
        console.clear_progress();
        if (!set) return console.fail(set.error());
        done = {std::move(*set), sweep->failure(), sweep->cancelled()};
    }
    tune::note(done.set, p.used, p.tuned_file);
    keeper.settle(done.set, !done.cancelled);
    return give_outcome(options, p, done, steps, watcher, console);
}

/// The table of a stranger's ladder. Nothing is stored, and only tuned values that the user has named are taken.
int sweep_untrusted(LabOptions& options, Console& console) {
    if (auto ok = refuse_untrusted(options); !ok) return console.fail(ok.error());
    options.keep.none = true;
    options.tuned.none = options.tuned.file.empty();
    std::vector<std::string> more;
    if (!options.tuned.none) more.push_back(options.tuned.file);
    return confined_ladder(options.run, options.ladder, more, console, [&] { return sweep_ladder(options, console); });
}

}  // namespace

int lab(const LabOptions& given, Console& console) {
    LabOptions options = given;
    take_ladder_from_file_options(options);
    if (options.run.untrusted && (options.list || options.ladder.empty()))
        return console.fail(not_untrusted("a list of ladders", "lab LADDER --untrusted"));
    if (options.list || (options.ladder.empty() && !options.filter.empty() && !options.pages.all))
        return lab::first_of_processes() ? list_ladders(options.filter, console) : 0;
    if (auto ok = check_lab_name(options.ladder); !ok) return console.fail(ok.error());
    if (!options.filter.empty()) options.rungs.push_back("/" + options.filter + "/");
    if (options.run.untrusted) return sweep_untrusted(options, console);
    const bool pages = wants_pages(options);
    if (pages && !options.tuned.file.empty())
        return console.fail(Error{ErrorKind::usage, "--tuned is of a ladder's table: pages show all values of an axis",
                                  Location{}, "without it"});
    if (pages && !options.models.empty())
        return console.fail(Error{ErrorKind::usage, "--models is of a ladder's table, and pages show one model",
                                  Location{}, "--model NAME"});
    if (pages) return lab_pages(options, console);
    if (options.ladder.empty()) return lab::first_of_processes() ? list_ladders({}, console) : 0;

    if (!options.models.empty()) return lab_on_models(options, console);
    return sweep_ladder(options, console);
}

}  // namespace warpwright::cli
