// warpwright lab: the rungs of a ladder, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/go_on.hpp"
#include "cli/interrupt.hpp"
#include "cli/keep.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/runtime.hpp"
#include "lab/experiment.hpp"
#include "lab/sweep.hpp"
#include "ladder/find.hpp"
#include "report/progress.hpp"

namespace warpwright::cli {
namespace {

int list_ladders(Console& console) {
    std::string out;
    if (auto words = Words::load("en")) {
        for (const lab::Experiment& e : lab::experiments()) {
            const std::string key = std::string(e.name) + ".title";
            out += fmt::format("{:<14} {}\n", e.name, (*words)(key));
        }
        if (!out.empty()) out = "Experiments: lab NAME shows the page of one. Those that are ladders below show the table of their rungs instead\nwhere rungs, sizes, axes or the form of the table are chosen, unless --page asks for the page.\n\n" + out + "\nLadders of kernels\n\n";
    } else {
        return console.fail(words.error());
    }
    for (const ladder::LadderPlace& place : ladder::list_ladders()) {
        auto ladder = ladder::read_ladder(place.file);
        if (!ladder) return console.fail(ladder.error());
        out += fmt::format("{}  {}\n", ladder->name, ladder->title);
        for (const ladder::Rung& rung : ladder->rungs) {
            std::string axes;
            for (const ladder::Axis& axis : rung.axes) {
                axes += fmt::format("{}{} ", axes.empty() ? "  [" : ", ", axis.name);
                for (std::size_t i = 0; i < axis.values.size(); ++i) axes += (i ? "," : "") + axis.values[i].text;
            }
            out += fmt::format("  {:2}  {:<20} {}{}\n", rung.number, rung.name, rung.title,
                               axes.empty() ? "" : axes + "]");
        }
        std::string sizes;
        for (const auto& size : ladder->default_sizes) sizes += (sizes.empty() ? "" : ", ") + ladder::size_text(size);
        out += fmt::format("  default size {}", sizes);
        for (const ladder::Axis& axis : ladder->axes) {
            out += "; " + axis.name + " ";
            for (std::size_t i = 0; i < axis.values.size(); ++i) out += (i ? "," : "") + axis.values[i].text;
        }
        out += "\n\n";
    }
    if (out.empty())
        return console.fail(Error{ErrorKind::input, "no ladders are installed", Location{},
                                  "WARPWRIGHT_KERNELS names folders of ladders"});
    console.out(out + "warpwright lab NAME runs one; a folder with a ladder.toml of your own serves as well. lab --all --report FILE runs everything.\n");
    return 0;
}

bool is_ladder(const std::string& name) {
    const auto all = ladder::list_ladders();
    return std::any_of(all.begin(), all.end(), [&](const ladder::LadderPlace& place) { return place.name == name; });
}

/// Of an experiment that is a ladder as well: who chooses of the ladder, or of the table's form, means the ladder.
bool wants_table(const LabOptions& o) {
    return !o.sizes.empty() || !o.rungs.empty() || !o.axes.empty() || o.output.brief || o.output.no_why || !o.output.columns.empty() || o.output.json ||
           o.output.csv || o.no_time || o.run.per_line || !o.go_on.empty();
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
    void finished(const record::Record& record) override { keeper_.add(record); }
    std::optional<record::Record> stored(const record::Record& wanted) override { return keeper_.stored(wanted); }
    Error go_on(const lab::Standing& standing) override {
        const std::string device = runtime_.device->name();
        if (options_.self.empty())
            return Error{ErrorKind::no_device, device + " does not answer after what happened before", Location{},
                         "start the program again with the rungs that are left"};
        console_.note(device + " does not answer this process any more: going on in a new one");
        (void)console_.flush();
        return cli::go_on(options_.self, options_.words, {code(standing.failure), runtime_.seed, keeper_.run(), standing});
    }

    /// The exit code, of an earlier process of this sweep first.
    int code(std::optional<ErrorKind> failure) const { return before_ != 0 ? before_ : failure ? exit_code(*failure) : 0; }
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

}  // namespace

int lab(const LabOptions& given, Console& console) {
    LabOptions options = given;
    // `lab --json matmul`: the word after an option with an optional value; a ladder's name is the ladder.
    for (auto* file : {&options.output.json, &options.output.csv}) {
        if (!options.ladder.empty() || !*file) continue;
        if (is_ladder(**file) || lab::find_experiment(**file)) options.ladder = **file, *file = "-";
    }
    if (options.pages.all || options.pages.page || options.pages.any_file()) return lab_pages(options, console);
    if (options.ladder.empty()) return list_ladders(console);
    if (lab::find_experiment(options.ladder) && !(is_ladder(options.ladder) && wants_table(options))) return lab_pages(options, console);
    if (auto ok = check_output(options.output); !ok) return console.fail(ok.error());
    auto ladder = ladder::find_ladder(options.ladder);
    if (!ladder) return console.fail(ladder.error());
    auto axes = parse_axes(options.axes);
    if (!axes) return console.fail(axes.error());
    std::vector<lab::Size> sizes;
    for (const std::string& text : split_list(options.sizes)) {
        auto range = lab::parse_sizes(text, ladder->size_names.size());
        if (!range) return console.fail(range.error());
        sizes.insert(sizes.end(), range->begin(), range->end());
    }
    auto plan = lab::make_plan(std::move(*ladder), split_list(options.rungs), *axes, sizes);
    if (!plan) return console.fail(plan.error());
    Standing standing;
    if (!options.go_on.empty()) {
        auto read = read_standing(options.go_on);
        if (!read) return console.fail(read.error());
        standing = std::move(*read);
        options.run.seed = standing.seed;
    }
    auto runtime = make_runtime(options.run);
    if (!runtime) return console.fail(runtime.error());
    const Interrupt interrupt;
    Keeper keeper(options.keep, console);
    Watcher watcher(options, *runtime, keeper, console);
    watcher.begin_at(standing.code);
    lab::Context context = runtime->context(options.run, &watcher);
    context.options.cold = options.cache == "cold";
    context.options.no_time = options.no_time;
    context.cancel = &interrupt.flag();
    const std::size_t steps = plan->steps.size();
    // On the heap, for they may have to stay: something of them may still be at work when this ends.
    auto sweep = std::make_unique<lab::Sweep>(context, std::move(*plan));
    const Leaving leaving{sweep, runtime->device, console};
    sweep->begin_at(std::move(standing.sweep));
    if (options.go_on.empty())  // else they were said before
        for (const std::string& note : runtime->notes) console.note(note);
    if (auto ok = keeper.begin(command_text(options.words), lab::environment(context), standing.run); !ok) return console.fail(ok.error());
    auto set = sweep->run();
    console.clear_progress();
    if (!set) return console.fail(set.error());
    keeper.settle(*set, !sweep->cancelled());
    if (const std::string compilers = lab::compilers_text(*runtime->target); runtime->real())
        console.note(fmt::format("inputs of seed {}{}{}", runtime->seed, compilers.empty() ? "" : "; ", compilers));
    if (auto ok = give(*set, options.output, options.run.per_line, console); !ok) return console.fail(ok.error());
    if (!sweep->cancelled()) return watcher.code(sweep->failure());
    console.note(fmt::format("interrupted: {} of {} steps are done, the others are missing", set->records.size(), steps));
    return Interrupt::kCode;
}

}  // namespace warpwright::cli
