// warpwright lab: the rungs of a ladder, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "cli/go_on.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/runtime.hpp"
#include "ladder/find.hpp"
#include "measure/cpu_rung.hpp"
#include "measure/compare.hpp"
#include "measure/kernel_rung.hpp"
#include "measure/library_rung.hpp"
#include "predict/roofline.hpp"
#include "report/progress.hpp"

namespace warpwright::cli {
namespace {

/// One rung in one variant, with the ladder's own axes apart: they choose the problem.
struct Step {
    const ladder::Rung* rung;
    ladder::Variant variant;
    std::string problem;  ///< text of the ladder's axes
};

int list_ladders(Console& console) {
    std::string out;
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
    console.out(out + "warpwright lab NAME runs one; a folder with a ladder.toml of your own serves as well.\n");
    return 0;
}

Result<void> check_axes(const ladder::Ladder& ladder, const std::map<std::string, std::vector<std::string>>& chosen) {
    for (const auto& [name, values] : chosen) {
        std::string known;
        bool found = false;
        auto look = [&](const std::vector<ladder::Axis>& axes) {
            for (const ladder::Axis& axis : axes) {
                found = found || axis.name == name;
                if (known.find(axis.name) == std::string::npos) known += (known.empty() ? "" : ", ") + axis.name;
            }
        };
        look(ladder.axes);
        for (const ladder::Rung& rung : ladder.rungs) look(rung.axes);
        if (!found)
            return Error{ErrorKind::usage, "the ladder '" + ladder.name + "' has no axis '" + name + "'", Location{},
                         known.empty() ? "it has none" : "axes: " + known};
    }
    return {};
}

/// The steps of a ladder, grouped by problem (the ladder's axes), rungs in the ladder's order.
Result<std::vector<Step>> plan(const ladder::Ladder& ladder, const std::vector<const ladder::Rung*>& rungs,
                               const std::map<std::string, std::vector<std::string>>& chosen) {
    std::vector<Step> steps;
    std::vector<std::string> problems;
    for (const ladder::Rung* rung : rungs) {
        auto variants = ladder::variants(ladder, *rung, chosen);
        if (!variants) return std::move(variants).error();
        for (ladder::Variant& v : *variants) {
            std::string problem;
            for (std::size_t i = 0; i < ladder.axes.size(); ++i) problem += v[i].second.text + " ";
            if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
            steps.push_back({rung, std::move(v), problem});
        }
    }
    std::stable_sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) {
        return std::find(problems.begin(), problems.end(), a.problem) <
               std::find(problems.begin(), problems.end(), b.problem);
    });
    return steps;
}

class Lab {
public:
    Lab(const LabOptions& options, const ladder::Ladder& ladder, Runtime& runtime, Console& console)
        : options_(options),
          ladder_(ladder),
          runtime_(runtime),
          console_(console),
          session_(*runtime.device, run_options(runtime)),
          libraries_(*runtime.device, runtime.launch.timeout) {}

    Result<record::RecordSet> run(const std::vector<std::vector<std::int64_t>>& sizes, const std::vector<Step>& steps) {
        record::RecordSet set;
        report::Progress progress(sizes.size() * steps.size(), ladder_.name);
        auto start = std::chrono::steady_clock::now();
        auto show = [&](const std::string& what) {
            if (!console_.shows_progress()) return;
            progress.label(ladder_.name + " " + what);
            std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
            console_.progress(progress.line(elapsed.count(), console_.error_width() - 1, console_.unicode()));
        };
        show("compiling");
        std::vector<std::pair<const ladder::Rung*, ladder::Variant>> wanted;
        for (const Step& step : steps) wanted.emplace_back(step.rung, step.variant);
        session_.compile_ahead(ladder_, wanted, runtime_.threads);
        std::size_t index = 0;
        const std::size_t first = standing_.next, all = sizes.size() * steps.size();
        set.records = std::move(standing_.records);
        std::vector<Error> refused;  // of problems that could not be made
        bool any = !set.records.empty();
        for (const auto& size : sizes) {
            std::map<std::string, Result<ladder::Problem>> problems;
            for (const Step& step : steps) {
                progress.advance();
                if (index++ < first) continue;
                show(step.rung->name);
                if (auto run = without_running(step, size)) {
                    take(set, std::move(*run), true);
                    continue;
                }
                const bool lost = gone_ && step.rung->cpu.empty();
                auto it = problems.find(step.problem);
                if (it == problems.end() && !lost) {
                    problems.clear();  // one problem's inputs in memory at a time
                    it = problems.emplace(step.problem, make_problem(size, step.variant)).first;
                    if (!it->second) refused.push_back(it->second.error());
                }
                if (lost || !it->second) {
                    take(set, failed(step, size, lost ? *gone_ : it->second.error()), false);
                } else {
                    any = true;
                    take(set, run_step(step, *it->second), true);
                }
                if (index < all && !gone_ && device_is_gone()) gone_ = go_on(set, index);
            }
        }
        if (!gone_ && device_is_gone()) console_.leave_at_once();
        // Where no problem could be made that is all there is to say.
        if (!any && !refused.empty()) return refused.front();
        for (const Error& error : refused) console_.fail(error);
        if (gone_) console_.fail(*gone_);
        console_.clear_progress();
        std::vector<std::string> axes = ladder_.size_names;
        for (const ladder::Axis& axis : ladder_.axes) axes.push_back(axis.name);
        measure::compare(set.records, axes);
        set.environment = environment(runtime_, options_.run);
        return set;
    }

    int code() const { return code_; }
    /// Goes on where an earlier process stopped.
    void begin_at(Standing standing) {
        code_ = standing.code;
        standing_ = std::move(standing);
    }
    const ladder::Session& session() const { return session_; }

private:
    static ladder::RunOptions run_options(const Runtime& runtime) {
        return {runtime.launch,
                [target = runtime.target](const std::string& path, const std::vector<std::string>& defines) {
                    return compile_to_ptx(path, defines, {}, *target);
                }};
    }

    ladder::RungRun described(const Step& step, const std::vector<std::int64_t>& size) {
        ladder::RungRun run;
        run.record.experiment = ladder_.name;
        run.record.rung = step.rung->name;
        if (auto record = ladder::describe(ladder_, *step.rung, step.variant, size)) run.record = std::move(*record);
        run.record.device = step.rung->cpu.empty() ? runtime_.device->name() : "cpu";
        return run;
    }

    /// The record of a rung that is left out, before anything is made for it.
    std::optional<ladder::RungRun> without_running(const Step& step, const std::vector<std::int64_t>& size) {
        const device::Limits* limits = step.rung->cpu.empty() ? &runtime_.device->limits() : nullptr;
        auto reason = ladder::why_left_out(ladder_, *step.rung, step.variant, size, limits);
        if (!reason || !*reason) return std::nullopt;  // an error comes out when it runs
        ladder::RungRun run = described(step, size);
        run.record.left_out = std::move(*reason);
        return run;
    }

    /// A rung that is not run, for a reason that lies outside it.
    ladder::RungRun failed(const Step& step, const std::vector<std::int64_t>& size, const Error& error) {
        ladder::RungRun run = described(step, size);
        run.record.error = error.text();
        run.problem = error;
        return run;
    }

    ladder::RungRun run_step(const Step& step, ladder::Problem& problem) try {
        if (!step.rung->cpu.empty())
            return measure::run_cpu_rung(*step.rung, step.variant, problem, options_.run.threads);
        const measure::TimingOptions timing{options_.cache == "cold", runtime_.launch.timeout, {}};
        // With --no-time a library's rung falls through to the session, whose record says that it is not run.
        if (runtime_.real() && !options_.no_time && !step.rung->library.empty())
            return measure::run_library_rung(*runtime_.device, libraries_, *step.rung, step.variant, problem, timing);
        if (runtime_.real() && !options_.no_time) return measure::run_kernel_rung(session_, *step.rung, step.variant, problem, timing);
        return session_.run_rung(*step.rung, step.variant, problem);
    } catch (const std::bad_alloc&) {
        return failed(step, problem.size(), no_host_memory());
    }

    static Error no_host_memory() {
        return Error{ErrorKind::limit, "there is not enough host memory for inputs, reference and results", Location{}, "a smaller size"};
    }

    /// The problem, and its reference from a rung where that is what the ladder says.
    Result<ladder::Problem> make_problem(const std::vector<std::int64_t>& size, const ladder::Variant& variant) try {
        auto problem = ladder::Problem::make(ladder_, size, variant, runtime_.seed);
        if (!problem || ladder_.reference.kind != ladder::Reference::Kind::rung) return problem;
        for (const ladder::Rung& rung : ladder_.rungs) {
            if (rung.name != ladder_.reference.rung) continue;
            std::map<std::string, std::vector<std::string>> same;
            for (std::size_t i = 0; i < ladder_.axes.size(); ++i) same[variant[i].first] = {variant[i].second.text};
            auto choices = ladder::variants(ladder_, rung, same);
            if (!choices) return std::move(choices).error();
            auto run = session_.run_rung(rung, choices->front(), *problem);
            if (run.problem) return *run.problem;
        }
        return problem;
    } catch (const std::bad_alloc&) {
        return no_host_memory();
    }

    /// A fault, or a kernel that does not end, may have taken the device from this process.
    bool device_is_gone() {
        if (!runtime_.real() || !failed_) return false;
        failed_ = false;
        if (session_.stuck()) return true;
        auto probe = runtime_.device->allocate(0);
        if (probe) (void)runtime_.device->release(*probe).ok();
        return !probe && probe.error().kind == ErrorKind::no_device;
    }

    /// In a new process; returns only where that cannot be, with why.
    Error go_on(const record::RecordSet& set, std::size_t next) {
        console_.leave_at_once();
        if (options_.self.empty())
            return Error{ErrorKind::no_device, runtime_.device->name() + " does not answer after what happened before", Location{},
                         "start the program again with the rungs that are left"};
        console_.note(runtime_.device->name() + " does not answer this process any more: going on in a new one");
        (void)console_.flush();
        return cli::go_on(options_.self, options_.words, {next, code_, runtime_.seed, set.records});
    }

    /// `says`: the error is printed as well.
    void take(record::RecordSet& set, ladder::RungRun run, bool says) {
        failed_ = failed_ || run.problem;
        if (run.problem && !says) {
            if (code_ == 0) code_ = exit_code(run.problem->kind);
        } else if (run.problem) {
            Error error = *run.problem;
            error.what = "rung '" + run.record.rung + "': " + error.what;
            int code = console_.fail(error);
            if (code_ == 0) code_ = code;
        } else if (run.record.verified == false && !run.record.known_incorrect && code_ == 0) {
            code_ = 1;
        }
        add_bound(run, runtime_.model);
        const bool ran = !run.problem && !run.record.left_out && run.record.device != "cpu";
        if (runtime_.real() && runtime_.model_fits && ran) predict::annotate_roofline(run.record, runtime_.model);
        if (!run.output.empty()) run.record.notes.push_back("the kernel printed: " + run.output);
        set.records.push_back(std::move(run.record));
    }

    const LabOptions& options_;
    const ladder::Ladder& ladder_;
    Runtime& runtime_;
    Console& console_;
    ladder::Session session_;
    vendor::Libraries libraries_;  ///< opened when a rung asks for one
    int code_ = 0;
    Standing standing_;
    bool failed_ = false;        ///< since the device was last asked
    std::optional<Error> gone_;  ///< why nothing more is run
};

/// Leaves behind, instead of destroying, what something that cannot be stopped still uses.
struct Leaving {
    std::unique_ptr<Lab>& lab;
    std::unique_ptr<device::Device>& device;
    Console& console;
    ~Leaving() {
        if (lab->session().abandoned()) console.leave_at_once();
        if (!console.leaves_at_once()) return;
        (void)lab.release();
        (void)device.release();
    }
};

}  // namespace

int lab(const LabOptions& given, Console& console) {
    LabOptions options = given;
    // `lab --json matmul`: the word after an option with an optional value; a ladder's name is the ladder.
    for (auto* file : {&options.output.json, &options.output.csv}) {
        if (!options.ladder.empty() || !*file) continue;
        for (const ladder::LadderPlace& place : ladder::list_ladders())
            if (place.name == **file) options.ladder = place.name, *file = "-";
    }
    if (options.ladder.empty()) return list_ladders(console);
    if (auto ok = check_output(options.output); !ok) return console.fail(ok.error());
    auto ladder = ladder::find_ladder(options.ladder);
    if (!ladder) return console.fail(ladder.error());
    auto rungs = ladder::select_rungs(*ladder, split_list(options.rungs));
    if (!rungs) return console.fail(rungs.error());
    auto chosen = parse_axes(options.axes);
    if (!chosen) return console.fail(chosen.error());
    if (auto ok = check_axes(*ladder, *chosen); !ok) return console.fail(ok.error());
    for (const auto& [name, values] : ladder->usual) chosen->emplace(name, values);  // where nothing was asked for
    auto steps = plan(*ladder, *rungs, *chosen);
    if (!steps) return console.fail(steps.error());
    std::vector<std::vector<std::int64_t>> sizes;
    for (const std::string& text : split_list(options.sizes)) {
        auto size = parse_size(text, ladder->size_names.size());
        if (!size) return console.fail(size.error());
        sizes.push_back(std::move(*size));
    }
    if (sizes.empty()) sizes = ladder->default_sizes;
    Standing standing;
    if (!options.go_on.empty()) {
        auto read = read_standing(options.go_on);
        if (!read) return console.fail(read.error());
        standing = std::move(*read);
        options.run.seed = standing.seed;
    }
    auto runtime = make_runtime(options.run);
    if (!runtime) return console.fail(runtime.error());
    // On the heap, for they may have to stay: something of them may still be at work when this ends.
    auto owner = std::make_unique<Lab>(options, *ladder, *runtime, console);
    Lab& lab = *owner;
    const Leaving leaving{owner, runtime->device, console};
    lab.begin_at(std::move(standing));
    if (options.go_on.empty())  // else they were said before
        for (const std::string& note : runtime->notes) console.note(note);
    auto set = lab.run(sizes, *steps);
    if (!set) return console.fail(set.error());
    if (runtime->real())
        console.note(fmt::format("inputs of seed {}; {}", runtime->seed, compilers_text(*runtime->target)));
    if (auto ok = give(*set, options.output, options.run.per_line, console); !ok) return console.fail(ok.error());
    return lab.code();
}

}  // namespace warpwright::cli
