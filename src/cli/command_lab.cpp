// warpwright lab: the rungs of a ladder, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/runtime.hpp"
#include "ladder/find.hpp"
#include "measure/cpu_rung.hpp"
#include "measure/kernel_rung.hpp"
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
          session_(*runtime.device, run_options(runtime)) {}

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
        for (const auto& size : sizes) {
            std::map<std::string, ladder::Problem> problems;
            std::map<std::string, Error> impossible;
            for (const Step& step : steps) {
                show(step.rung->name);
                progress.advance();
                if (auto run = without_running(step, size)) {
                    take(set, std::move(*run));
                    continue;
                }
                auto it = problems.find(step.problem);
                if (it == problems.end() && !impossible.contains(step.problem)) {
                    problems.clear();  // one problem's inputs in memory at a time
                    auto problem = make_problem(size, step.variant);
                    if (problem)
                        it = problems.emplace(step.problem, std::move(*problem)).first;
                    else if (sizes.size() == 1)
                        return std::move(problem).error();
                    else  // the sweep goes on: what was measured is kept
                        impossible.emplace(step.problem, problem.error());
                }
                if (it == problems.end())
                    take(set, failed(step, size, impossible.at(step.problem)));
                else
                    take(set, run_step(step, it->second));
            }
        }
        console_.clear_progress();
        std::vector<std::string> axes = ladder_.size_names;
        for (const ladder::Axis& axis : ladder_.axes) axes.push_back(axis.name);
        measure::compare(set.records, axes);
        set.environment = environment(runtime_, options_.run);
        return set;
    }

    int code() const { return code_; }

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

    ladder::RungRun failed(const Step& step, const std::vector<std::int64_t>& size, const Error& error) {
        ladder::RungRun run = described(step, size);
        run.record.error = error.text();
        run.problem = error;
        return run;
    }

    ladder::RungRun run_step(const Step& step, ladder::Problem& problem) {
        if (!step.rung->cpu.empty())
            return measure::run_cpu_rung(*step.rung, step.variant, problem, options_.run.threads);
        if (runtime_.real())
            return measure::run_kernel_rung(session_, *step.rung, step.variant, problem,
                                            {options_.cache == "cold", runtime_.launch.timeout, {}});
        return session_.run_rung(*step.rung, step.variant, problem);
    }

    /// The problem, and its reference from a rung where that is what the ladder says.
    Result<ladder::Problem> make_problem(const std::vector<std::int64_t>& size, const ladder::Variant& variant) {
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
    }

    void take(record::RecordSet& set, ladder::RungRun run) {
        if (run.problem) {
            Error error = *run.problem;
            error.what = "rung '" + run.record.rung + "': " + error.what;
            int code = console_.fail(error);
            if (code_ == 0) code_ = code;
        } else if (run.record.verified == false && !run.record.known_incorrect && code_ == 0) {
            code_ = 1;
        }
        add_bound(run, runtime_.model);
        if (!run.output.empty()) run.record.notes.push_back("the kernel printed: " + run.output);
        set.records.push_back(std::move(run.record));
    }

    const LabOptions& options_;
    const ladder::Ladder& ladder_;
    Runtime& runtime_;
    Console& console_;
    ladder::Session session_;
    int code_ = 0;
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
    auto steps = plan(*ladder, *rungs, *chosen);
    if (!steps) return console.fail(steps.error());
    std::vector<std::vector<std::int64_t>> sizes;
    for (const std::string& text : split_list(options.sizes)) {
        auto size = parse_size(text, ladder->size_names.size());
        if (!size) return console.fail(size.error());
        sizes.push_back(std::move(*size));
    }
    if (sizes.empty()) sizes = ladder->default_sizes;
    auto runtime = make_runtime(options.run);
    if (!runtime) return console.fail(runtime.error());
    Lab lab(options, *ladder, *runtime, console);
    for (const std::string& note : runtime->notes) console.note(note);
    auto set = lab.run(sizes, *steps);
    if (!set) return console.fail(set.error());
    if (runtime->real())
        console.note(fmt::format("inputs of seed {}; {}", runtime->seed, compilers_text(*runtime->target)));
    if (auto ok = give(*set, options.output, options.run.per_line, console); !ok) return console.fail(ok.error());
    return lab.code();
}

}  // namespace warpwright::cli
