// warpwright tune: searches the axis values of a ladder's rungs and keeps the best for `lab`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/result_store.hpp"
#include "cli/commands/session.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/common_options.hpp"
#include "cli/paragraphs.hpp"
#include "cli/restart_after_fault.hpp"
#include "lab/experiments/group.hpp"
#include "lab/sweep/mpi_sweep.hpp"
#include "ladder/find.hpp"
#include "report/format.hpp"
#include "report/layout.hpp"
#include "report/progress.hpp"
#include "report/report.hpp"
#include "support/write_file.hpp"
#include "text/counted.hpp"
#include "tune/tuner.hpp"

namespace warpwright::cli {
namespace {

using report::Cell;
using report::Style;

constexpr std::size_t kMostReasons = 8;
constexpr std::size_t kMostRows = 20;  ///< candidates of a search that the table shows; JSON and CSV have all

class Watcher final : public lab::Observer {
public:
    Watcher(const TuneOptions& options, const Runtime& runtime, Keeper& keeper, Console& console)
        : options_(options), runtime_(runtime), keeper_(keeper), console_(console) {}

    void progress(const lab::Progress& p) override {
        if (!console_.shows_progress()) return;
        report::Progress bar(p.total, p.ladder + " " + p.label);
        bar.done(p.done);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        console_.progress(bar.line(elapsed.count(), console_.error_width() - 1, console_.unicode()));
    }
    void note(const std::string& text) override { console_.note(text); }
    void leave() override { console_.leave_at_once(); }
    void finished(const record::Record& record) override { keeper_.add(record); }
    std::optional<record::Record> stored(const record::Record& wanted) override { return keeper_.stored(wanted); }
    Error go_on(const lab::Standing& standing) override {
        const std::string device = runtime_.device->name();
        const Error gone{ErrorKind::no_device, device + " does not answer after what happened before", Location{},
                         "--resume goes on with what is left; --axis leaves out the candidate that did it"};
        if (options_.self.empty()) return gone;
        console_.note(device + " does not answer this process any more: going on in a new one");
        (void)console_.flush();
        return cli::go_on(options_.self, options_.words, {0, runtime_.seed, keeper_.run(), standing});
    }

private:
    const TuneOptions& options_;
    const Runtime& runtime_;
    Keeper& keeper_;
    Console& console_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string size_text(const ladder::Ladder& ladder, const lab::Size& size) {
    std::string out;
    for (std::size_t i = 0; i < size.size(); ++i)
        out += fmt::format("{}{} {}", i ? "  " : "", ladder.size_names[i], size[i]);
    return out;
}

/// "17 of 63 combinations cannot be launched here: a block of 2048 threads; ... (9), ... (8)"
std::string refused_text(const tune::Outcome& o) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& [axes, why] : o.refused) ++reasons[why];
    std::string out;
    std::size_t shown = 0, more = 0;
    for (const auto& [why, count] : reasons) {
        if (shown++ < 4)
            out += fmt::format("{}{} ({})", out.empty() ? "" : "; ", why, count);
        else
            more += count;
    }
    if (more > 0) out += fmt::format("; and others ({})", more);
    return fmt::format("{} of {} combinations are no candidates: {}", o.refused.size(),
                       std::max(o.combinations, o.refused.size()), out);
}

std::size_t failed(const tune::Outcome& o) {
    return static_cast<std::size_t>(
        std::count_if(o.tried.begin(), o.tried.end(), [](const auto& c) { return !c.seconds; }));
}

/// The candidates of a search, the fastest first, with the failures while there is room for them.
report::Layout candidates_table(const tune::Tuning& t, const tune::Outcome& o, const Console& console) {
    const auto cell = [](const std::string& text, Style style = Style::normal) {
        return Cell{report::safe(text), style};
    };
    const auto time = [&](double s) { return (t.measured ? "" : "~") + report::seconds(s, console.unicode()); };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < o.tried.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto &x = o.tried[a].seconds, &y = o.tried[b].seconds;
        return x && y ? *x < *y : x.has_value() && !y;
    });
    report::Layout layout;
    if (!o.tried.empty())
        for (const auto& [name, value] : o.tried.front().axes) layout.columns.push_back({report::safe(name), ""});
    for (const char* heading : {"tried", t.measured ? "time" : "predicted", "over best"})
        layout.columns.push_back({heading, ""});
    layout.columns.push_back({"occup.", ""});
    layout.columns.push_back({"binds", "", true});
    layout.columns.push_back({"", "", true});
    const std::size_t failures = std::min<std::size_t>(failed(o), 5);
    for (std::size_t n = 0; n < order.size(); ++n) {
        // The fastest, and the failures while there is room for them.
        if (order.size() > kMostRows && n >= kMostRows - failures && n + failures < order.size()) continue;
        const tune::Candidate& c = o.tried[order[n]];
        const record::Record& r = t.set.records[c.record];
        const Style style = o.best == order[n] ? Style::good : Style::normal;
        std::vector<Cell> row;
        for (const auto& [name, value] : c.axes) row.push_back(cell(value, style));
        row.push_back(cell(std::to_string(order[n] + 1), Style::dim));
        row.push_back(c.seconds ? cell(time(*c.seconds), style) : Cell{});
        row.push_back(c.seconds ? cell(fmt::format("{:.2f}", *c.seconds / *o.tried[*o.best].seconds), style) : Cell{});
        row.push_back(r.occupancy ? cell(report::percent(r.occupancy->fraction)) : Cell{});
        row.push_back(cell(r.bound ? r.bound->binds : ""));
        row.push_back(cell(c.problem.empty() ? (o.best == order[n] ? "best" : "") : "no result, see below",
                           c.problem.empty() ? Style::good : Style::bad));
        layout.rows.push_back(std::move(row));
    }
    return layout;
}

/// Whether the best one is better than the others, as far as predicted times tell. Measured ones need no such line.
std::string told_text(const tune::Tuning& t, const tune::Outcome& o, const Console& console) {
    const tune::Told told = tune::told_by(t, o);
    if (t.measured || !told.next) return "";
    const auto wrapped = [&](const std::string& text) {
        return paragraph(text, console.width() ? console.width() : kProseWidth);
    };
    const auto name = [&](std::size_t i) { return report::safe(tune::choices_text(o.tried[i].axes)); };
    if (!told.known)
        return wrapped("These times are estimates from counts: they do not tell which of two candidates is faster.");
    const auto figures = fmt::format(
        "{} is predicted to take {:.2f} times as long, and in {} of {} pairs that far "
        "apart the model was right ({}).",
        name(*told.next), told.pair.factor, told.pair.right, told.pair.pairs, told.pair.device);
    if (told.close.empty()) return wrapped("The next best, " + figures);
    std::string close;
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < std::min(kMost, told.close.size()); ++i) close += (i ? ", " : "") + name(told.close[i]);
    if (told.close.size() > kMost) close += fmt::format(" and {} more", told.close.size() - kMost);
    return wrapped(fmt::format("The model cannot tell the best from {}: {}", close, figures));
}

std::string outcome_text(const tune::Tuning& t, const tune::Outcome& o, const ladder::Ladder& ladder,
                         const std::string& method, Console& console) {
    std::string out = fmt::format("{} {}  {}{}{}\n", ladder.name, o.rung, size_text(ladder, o.size),
                                  o.problem.empty() ? "" : "  ", tune::choices_text(o.problem));
    const report::Layout layout = candidates_table(t, o, console);
    if (!layout.rows.empty()) out += layout.text(console.color(), console.unicode());
    if (layout.rows.size() < o.tried.size())
        out += fmt::format("and {} more, which --json and --csv have\n", o.tried.size() - layout.rows.size());
    std::size_t reasons = 0;
    for (const tune::Candidate& c : o.tried)
        if (!c.problem.empty() && reasons++ < kMostReasons)
            out += fmt::format("{}: {}\n", report::safe(tune::choices_text(c.axes)), report::safe(c.problem));
    if (reasons > kMostReasons) out += fmt::format("and {} more without a result\n", reasons - kMostReasons);
    out +=
        fmt::format("{} search: {} of {} candidates{}; {}\n", method, o.tried.size(),
                    o.combinations - std::min(o.combinations, o.refused.size()),
                    failed(o) > 0 ? fmt::format(", {} of them came to nothing", failed(o)) : "", report::safe(o.ended));
    out += told_text(t, o, console);
    if (!o.refused.empty()) out += report::safe(refused_text(o)) + "\n";
    if (o.earlier)
        out += fmt::format("{}, which was best before, is outside of what was searched\n", report::safe(*o.earlier));
    return out;
}

std::string tuning_text(const tune::Tuning& t, const ladder::Ladder& ladder, const std::string& method,
                        Console& console) {
    std::string out = t.measured ? fmt::format("Times are measured on {}.\n", t.set.environment.device_name.empty()
                                                                                  ? t.set.environment.device
                                                                                  : t.set.environment.device_name)
                                 : paragraph(fmt::format("The emulated device has no clock: candidates are run, "
                                                         "verified and counted, and ranked by the time that the "
                                                         "device model {} predicts. ~ marks such times; below each "
                                                         "table stands which of them they tell apart.",
                                                         t.set.environment.model),
                                             console.width() ? console.width() : kProseWidth);
    for (const tune::Outcome& o : t.outcomes) out += "\n" + outcome_text(t, o, ladder, method, console);
    return out;
}

/// What is in the file before the search: what is broken is said now, not after an hour.
Result<std::vector<tune::Entry>> read_before(const std::string& file, bool own) {
    if (!own) return tune::read_tuned(file);
    if (auto place = tune::make_own_place(file); !place) return std::move(place).error();
    return tune::read_own_tuned(file);
}

/// What is in the file now, for another search may have written to it meanwhile, and the new ones.
Result<void> write_tuned(const std::string& file, bool own, const std::vector<tune::Entry>& found) {
    auto entries = own ? tune::read_own_tuned(file) : tune::read_tuned(file);
    if (!entries) return std::move(entries).error();
    for (const tune::Entry& e : found) tune::put(*entries, e);
    if (own) return tune::write_own_tuned(file, *entries);
    if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
        if (auto ok = make_folder(folder.string()); !ok) return ok;
    return write_file(file, tune::tuned_text(*entries));
}

Error usage(std::string what, std::string hint = {}) {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
}

/// What to search: the ladder, its axes and sizes as the words chose them, and the file for the best values.
struct Question {
    ladder::Ladder ladder;
    lab::Axes axes;
    std::vector<lab::Size> sizes;
    bool own = true;  ///< the file is our own, not one that the user named
    std::string file;
};

Result<tune::Method> check_words(TuneOptions& options) {
    // `tune --json matmul`: the word after an option with an optional value.
    for (auto* file : {&options.result.json, &options.result.csv})
        if (options.ladder.empty() && *file && **file != "-") options.ladder = **file, *file = "-";
    if (options.ladder.empty())
        return usage("which ladder is to be tuned?", "warpwright lab lists them, with their rungs' axes");
    if (auto ok = check_output(options.result); !ok) return ok.error();
    const auto method = tune::find_method(options.search);
    if (!method) return usage("there is no search '" + options.search + "'", "exhaustive, random, evolutionary, model");
    if (!(options.budget >= 0)) return usage("the budget must be a number of seconds, 0 or more");
    return *method;
}

Result<Question> read_question(const TuneOptions& options) {
    auto ladder = ladder::find_ladder(options.ladder);
    if (!ladder) return std::move(ladder).error();
    auto axes = parse_axes(options.axes);
    if (!axes) return std::move(axes).error();
    Question q{std::move(*ladder), std::move(*axes), {}, options.output.empty(), options.output};
    for (const std::string& text : split_list(options.sizes)) {
        auto range = lab::parse_sizes(text, q.ladder.size_names.size());
        if (!range) return std::move(range).error();
        q.sizes.insert(q.sizes.end(), range->begin(), range->end());
    }
    if (q.own) q.file = tune::default_tuned_file(store::default_file());
    if (q.file.empty()) return usage("there is no home folder to keep tuned values in", "--output names a file");
    if (!q.own)
        if (auto ok = check_writable(q.file); !ok) return ok.error();
    return q;
}

/// How to search; what an interrupted search has done already, with the number of its stored run.
Result<tune::Options> search_options(TuneOptions& options, tune::Method method, const Question& question,
                                     std::int64_t& run) {
    tune::Options search;
    search.method = method;
    search.seed = options.run.seed.value_or(1);
    search.budget = options.budget;
    search.candidates = options.candidates;
    auto before = read_before(question.file, question.own);
    if (!before) return std::move(before).error();
    search.before = std::move(*before);
    if (options.go_on.empty()) return search;
    auto read = read_standing(options.go_on);
    if (!read) return std::move(read).error();
    search.standing = std::move(read->sweep);
    options.run.seed = read->seed;
    run = read->run;
    return search;
}

/// The tables and files that were asked for, and the best values into the file of tuned ones.
Result<void> give_tuning(const tune::Tuning& tuning, const Question& q, const tune::Options& search,
                         const TuneOptions& options, Console& console) {
    const std::string json = tune::to_json(tuning, q.ladder.name, search);
    if (options.result.json)
        if (auto ok = write_or_print(*options.result.json, json, console); !ok) return ok;
    if (options.result.csv)
        if (auto ok = write_or_print(*options.result.csv, report::csv(tuning.set, options.run.per_line), console); !ok)
            return ok;
    if (options.result.json != "-" && options.result.csv != "-")
        console.out(tuning_text(tuning, q.ladder, options.search, console));
    const auto found = tune::best_entries(tuning, q.ladder.name, search);
    if (found.empty()) return {};
    if (auto ok = write_tuned(q.file, q.own, found); !ok) return ok;
    console.note(
        fmt::format("{} written: {}; `warpwright lab {}{}` takes them",
                    found.size() == 1 ? "the best is" : fmt::format("the best of {} searches are", found.size()),
                    q.file, options.ladder, q.own ? "" : " --tuned " + options.output));
    return {};
}

/// The exit code of a search: a rung of which no candidate gave a right result is an error.
int tuning_code(const tune::Tuning& tuning, const ladder::Ladder& ladder, Console& console) {
    if (tuning.cancelled) {
        console.note(fmt::format("interrupted: {} {} done; --resume goes on",
                                 counted(tuning.set.records.size(), "candidates"),
                                 tuning.set.records.size() == 1 ? "is" : "are"));
        return Interrupt::kCode;
    }
    int code = 0;
    for (const tune::Outcome& o : tuning.outcomes)
        if (!o.best)
            code = console.fail(Error{ErrorKind::fault,
                                      fmt::format("no candidate of the rung '{}' at {} came to a right result", o.rung,
                                                  size_text(ladder, o.size)),
                                      Location{}, o.tried.empty() ? o.ended : o.tried.front().problem});
    return code;
}

/// Leaves the device behind, instead of destroying it, where something that cannot be stopped may still use it.
struct Leaving {
    std::unique_ptr<device::Device>& device;
    Console& console;
    ~Leaving() {
        if (console.leaves_at_once()) (void)device.release();
    }
};

int tune(const TuneOptions& given, Console& console) {
    TuneOptions options = given;
    auto method = check_words(options);
    if (!method) return console.fail(method.error());
    // All of them come here. One that fails makes mpirun end the others, maybe before the first has said it.
    if (lab::several_processes()) {
        const Error one = usage("tune runs in one process; mpirun spreads the sweeps of lab", "without mpirun");
        return lab::first_of_processes() ? console.fail(one) : 0;
    }
    auto question = read_question(options);
    if (!question) return console.fail(question.error());
    std::int64_t run = 0;
    auto search = search_options(options, *method, *question, run);
    if (!search) return console.fail(search.error());
    auto runtime = make_runtime(options.run);
    if (!runtime) return console.fail(runtime.error());
    const Interrupt interrupt;
    Keeper keeper(options.keep, console, options.run.timeout);
    Watcher watcher(options, *runtime, keeper, console);
    lab::Context context = runtime->context(options.run, &watcher);
    context.options.cold = options.cache == "cold";
    context.cancel = &interrupt.flag();
    const Leaving leaving{runtime->device, console};
    if (options.go_on.empty())
        for (const std::string& note : runtime->notes) console.note(note);
    if (auto ok = keeper.begin(command_text(options.words), lab::environment(context), run); !ok)
        return console.fail(ok.error());
    auto tuning =
        tune::tune(context, question->ladder, split_list(options.rungs), question->axes, question->sizes, *search);
    console.clear_progress();
    if (!tuning) return console.fail(tuning.error());
    keeper.settle(tuning->set, !tuning->cancelled);
    if (runtime->real())
        console.note(fmt::format("inputs of seed {}; {}", runtime->seed, lab::compilers_text(*runtime->target)));

    if (auto ok = give_tuning(*tuning, *question, *search, options, console); !ok) return console.fail(ok.error());
    return tuning_code(*tuning, question->ladder, console);
}

}  // namespace

Command add_tune(CLI::App& app, const Invocation& invocation) {
    auto o = std::make_shared<TuneOptions>();
    o->words = invocation.words;
    o->self = invocation.self;
    auto* c = app.add_subcommand("tune", "search the axis values of a ladder's rungs; the best are kept for lab");
    c->add_option("ladder", o->ladder, "a ladder's name, or a folder with a ladder.toml");
    c->add_option("--rung", o->rungs, "rungs by name, number or pattern; without it: all that have axes")
        ->type_name("R,...");
    c->add_option("--size", o->sizes, "problem sizes: 192,193 or 64x32x128 or 2^9..2^12; each is tuned by itself")
        ->type_name("N,...");
    c->add_option(
         "--axis", o->axes,
         "the values to search, in place of those that the ladder's file lists: TILE=8,16,32 (may be repeated)")
        ->type_name("NAME=V,...");
    c->add_option("--search", o->search,
                  "exhaustive, random, evolutionary, or model: a model of the times says what to try next")
        ->type_name("HOW")
        ->capture_default_str();
    c->add_option("--budget", o->budget, "seconds for all of it; 0 = no limit")
        ->type_name("SECONDS")
        ->capture_default_str();
    c->add_option("--candidates", o->candidates,
                  "of each rung and size at most so many; without it and --budget: all of an exhaustive search, a "
                  "third of others")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const bool fine = !text.empty() && text.size() < 19 &&
                                  text.find_first_not_of("0123456789") == std::string::npos &&
                                  text.find_first_not_of('0') != std::string::npos;
                return fine ? std::string() : "'" + text + "' is not a whole number from 1 on";
            },
            ""))
        ->type_name("N");
    c->add_option("--cache", o->cache, "caches when a run begins, a real device's and a predicted one's: cold, or warm")
        ->check(CLI::IsMember({"cold", "warm"}))
        ->type_name("STATE")
        ->capture_default_str();
    c->add_option("--output", o->output,
                  "the file that the best go into; without it: tuned.toml in the user's data folder, which lab reads")
        ->type_name("FILE");
    add_keep_options(*c, o->keep);
    c->add_option("--go-on", o->go_on, "of the program itself, after a fault")->group("");
    add_run_options(*c, o->run);
    add_json_and_csv(*c, o->result);
    c->footer(
        "Each candidate is compiled, run, verified, and timed on a real device; on the emulated one, which has no "
        "clock, it is\n"
        "ranked by the time that the device model predicts. --seed is that of the inputs and of the search.");
    return {c, [o, c](Console& console) {
                settle(o->result, *c);
                return tune(*o, console);
            }};
}

}  // namespace warpwright::cli
