// Questions that several parts of a page ask are answered here once: which variant is best, what time a rung has, what
// changed. The steps of a quick page are bounded by estimated work instead of time, so that every machine shows the
// same.
#include "lab/page/ladder_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/page/apart.hpp"
#include "lab/sweep/emulation.hpp"
#include "lab/sweep/sweep.hpp"
#include "ladder/find.hpp"
#include "predict/roofline.hpp"

namespace warpwright::lab {

using record::Basis;
using record::Count;
using record::Record;

std::string command_line(const Context& context, std::string_view name, const Choices& choices) {
    std::string line = "warpwright lab " + std::string(name);
    for (const auto& size : choices.sizes) {
        line += " --size ";
        for (std::size_t i = 0; i < size.size(); ++i) line += (i ? "x" : "") + std::to_string(size[i]);
    }
    for (std::size_t i = 0; i < choices.rungs.size(); ++i) line += (i ? "," : " --rung ") + choices.rungs[i];
    for (const auto& [axis, values] : choices.axes) {
        line += " --axis " + axis + "=";
        for (std::size_t i = 0; i < values.size(); ++i) line += (i ? "," : "") + values[i];
    }
    line += " --device " + context.device.name();
    if (!context.real()) line += " --model " + context.model.name;
    return line + " --seed " + std::to_string(context.options.seed);
}

namespace {

/// What a page of a whole report may take of a ladder: about as much as a core does in half a minute. Counted in work
/// and not in seconds, so that a report holds the same on a busy machine.
constexpr double kQuickWork = 150;

/// A step's work: one for its compilation, and one for what the emulated device does in about a fifth of a second.
double work_of(const ladder::Ladder& ladder, const Step& step) {
    constexpr double kOperations = 2e8;
    auto variables = ladder::variables_of(ladder, *step.rung, step.size, step.variant);
    if (!variables) return 1;  // the sweep says why
    double work = 1;
    for (const ladder::Expression* part : {&step.rung->flops, &step.rung->bytes})
        if (const auto value = part->real(*variables)) work += *value / kOperations;
    return work;
}

}  // namespace

std::vector<std::string> keep_to_budget(Plan& plan) {
    std::vector<std::string> left_out;
    double used = 0;
    for (const ladder::Rung& rung : plan.ladder->rungs) {
        double work = 0;
        for (const Step& step : plan.steps)
            if (step.rung == &rung && rung.library.empty()) work += work_of(*plan.ladder, step);
        if (used + work > kQuickWork && used > 0)
            left_out.push_back(rung.name);
        else
            used += work;
    }
    std::erase_if(plan.steps, [&](const Step& step) {
        return std::find(left_out.begin(), left_out.end(), step.rung->name) != left_out.end();
    });
    return left_out;
}

namespace {

/// The steps of a page; of a whole report those that its budget holds.
Result<void> sweep_for_page(const Context& context, const Choices& choices, LadderRun& run) {
    auto plan = make_plan(run.ladder, choices.rungs, choices.axes, choices.sizes);
    if (!plan) return std::move(plan).error();
    if (choices.quick) run.left_out = keep_to_budget(*plan);
    auto set = run_plan(context, std::move(*plan));
    if (!set) return std::move(set).error();
    run.set = std::move(*set);
    return {};
}

}  // namespace

Result<LadderRun> run_for_page(const Context& context, const std::string& name, const Choices& choices) {
    auto ladder = ladder::find_ladder(name);
    if (!ladder) return std::move(ladder).error();
    LadderRun run{std::move(*ladder), {},
                  context.model,      context.real(),
                  context.model_fits, {command_line(context, name, choices)}};
    Context with_lines = context;
    with_lines.options.launch.per_line = !context.real();
    if (auto ok = sweep_for_page(with_lines, choices, run); !ok) return ok.error();
    return run;
}

Result<std::optional<LadderRun>> counted_run(const Context& context, const std::string& name, const Choices& choices) {
    if (!context.real()) return std::optional<LadderRun>{};
    auto ladder = ladder::find_ladder(name);
    if (!ladder) return std::move(ladder).error();
    auto emulation = emulation_of(context);
    if (!emulation) return std::move(emulation).error();
    Choices small = choices;
    small.sizes = {ladder->default_sizes.front()};
    auto run = run_for_page(emulation->context, name, small);
    if (!run) return std::move(run).error();
    return std::optional<LadderRun>{std::move(*run)};
}

std::optional<Seconds> seconds_of(const Record& record) {
    if (record.time && record.time->median_s > 0) return Seconds{record.time->median_s, Basis::measured};
    if (record.predicted && record.predicted->method == record::Predicted::kSimulated)
        return Seconds{record.predicted->seconds, Basis::predicted};
    if (record.counts && record.bound && record.bound->seconds > 0 && fits_model(record))
        return Seconds{record.bound->seconds, Basis::predicted, true};
    return std::nullopt;
}

std::string times_word(const LadderRun& run) {
    if (run.real) return "measured";
    const auto& records = run.set.records;
    const bool any = std::any_of(records.begin(), records.end(), [](const Record& r) {
        const auto time = seconds_of(r);
        return time && time->word() == "predicted";
    });
    return any ? "predicted" : "bound";
}

bool fits_model(const Record& record) { return !record.occupancy || record.occupancy->blocks > 0; }

std::optional<double> times_faster(const Record& a, const Record& b) {
    const auto slow = seconds_of(a), fast = seconds_of(b);
    if (!slow || !fast || !slow->like(*fast)) return std::nullopt;
    return slow->value / fast->value;
}

bool is_kernel(const Record& record) { return record.device != "cpu" && record.library.empty(); }

bool is_right(const Record& record) {
    return !record.error && !record.left_out && !record.known_incorrect && record.verified.value_or(true);
}

std::optional<double> axis_of(const Record& record, std::string_view name) {
    for (const record::Axis& axis : record.axes) {
        if (axis.name != name) continue;
        if (const auto* whole = std::get_if<std::int64_t>(&axis.value)) return static_cast<double>(*whole);
        if (const auto* real = std::get_if<double>(&axis.value)) return *real;
    }
    return std::nullopt;
}

std::vector<ProblemView> problems_of(const LadderRun& run) {
    std::vector<ProblemView> out;
    for (const Record& record : run.set.records) {
        ProblemView view;
        std::vector<double> extents;
        for (const record::Axis& axis : record.axes) {
            const auto& names = run.ladder.size_names;
            const bool size = std::find(names.begin(), names.end(), axis.name) != names.end();
            const bool own = std::any_of(run.ladder.axes.begin(), run.ladder.axes.end(),
                                         [&](const auto& a) { return a.name == axis.name; });
            std::string& text = size ? view.size : view.axes;
            if (size || own) text += (text.empty() ? "" : ", ") + axis.name + " " + axis.text();
            if (size) extents.push_back(axis_of(record, axis.name).value_or(0));
        }
        const bool equal = std::all_of(extents.begin(), extents.end(), [&](double e) { return e == extents.front(); });
        view.extent = extents.empty() ? 0 : extents.front();
        if (equal && extents.size() > 1) {  // "M = N = K = 256"
            view.size.clear();
            for (const std::string& name : run.ladder.size_names) view.size += name + " = ";
            view.size += fmt::format("{:.0f}", view.extent);
        }
        if (!equal)
            for (std::size_t i = 1; i < extents.size(); ++i) view.extent *= extents[i];
        auto at = std::find_if(out.begin(), out.end(),
                               [&](const ProblemView& v) { return v.size == view.size && v.axes == view.axes; });
        if (at == out.end()) at = out.insert(out.end(), std::move(view));
        at->records.push_back(&record);
    }
    return out;
}

std::string extent_name(const LadderRun& run) {
    const auto& names = run.ladder.size_names;
    bool equal = true;
    for (const Record& record : run.set.records)
        for (const std::string& name : names) equal = equal && axis_of(record, name) == axis_of(record, names.front());
    if (names.empty()) return "";
    std::string text = names.front();
    for (std::size_t i = 1; i < names.size(); ++i) text += (equal ? " = " : " ") + names[i];
    return text;
}

std::string variant_of(const LadderRun& run, const Record& record) {
    for (const ladder::Rung& rung : run.ladder.rungs) {
        if (rung.name != record.rung) continue;
        std::string text;
        for (const ladder::Axis& axis : rung.axes)
            for (const record::Axis& value : record.axes)
                if (value.name == axis.name) text += (text.empty() ? "" : ", ") + value.name + " " + value.text();
        return text;
    }
    return {};
}

std::string label_of(const LadderRun& run, const Record& record) {
    const std::string variant = variant_of(run, record);
    return variant.empty() ? record.name() : record.name() + " (" + variant + ")";
}

bool is_better(const Record& a, const Record& b) {
    const Seconds mine = *seconds_of(a), other = *seconds_of(b);
    if (mine.bound != other.bound) return other.bound;
    const bool tie = mine.bound && std::fabs(mine.value - other.value) < 0.005 * other.value;
    if (!tie || !a.bound || !b.bound) return mine.value < other.value;
    const auto sum = [](const Record& r) {
        double seconds = 0;
        for (const record::BoundTerm& term : r.bound->terms) seconds += term.seconds;
        return seconds;
    };
    return sum(a) < 0.999 * sum(b);
}

std::vector<const Record*> best_variants(const ProblemView& problem) {
    std::vector<const Record*> out;
    for (const Record* record : problem.records) {
        const auto time = seconds_of(*record);
        if (!time || record->error || record->left_out) continue;
        auto at = std::find_if(out.begin(), out.end(), [&](const Record* r) { return r->rung == record->rung; });
        if (at == out.end())
            out.push_back(record);
        else if (is_better(*record, **at) && (is_right(*record) || !is_right(**at)))
            *at = record;
    }
    return out;
}

const Record* best_kernel(const ProblemView& problem) {
    const Record* best = nullptr;
    for (const Record* record : best_variants(problem))
        if (is_kernel(*record) && is_right(*record) && (!best || is_better(*record, *best))) best = record;
    return best;
}

const Record* first_kernel(const ProblemView& problem) {
    for (const Record* record : best_variants(problem))
        if (is_kernel(*record)) return record;
    return nullptr;
}

const Record* cpu_record(const ProblemView& problem, std::string_view rung) {
    const Record* best = nullptr;
    for (const Record* record : problem.records) {
        if (record->device != "cpu" || !seconds_of(*record)) continue;
        if (!rung.empty() && record->rung == rung) return record;
        if (!best || seconds_of(*record)->value < seconds_of(*best)->value) best = record;
    }
    return rung.empty() ? best : nullptr;
}

const Record* find_record(const ProblemView& problem, std::string_view rung, std::string_view axis, double value) {
    const Record* best = nullptr;
    for (const Record* record : problem.records) {
        if (record->rung != rung || record->error || record->left_out || !seconds_of(*record)) continue;
        if (!axis.empty() && axis_of(*record, axis) != value) continue;
        if (!best || seconds_of(*record)->value < seconds_of(*best)->value) best = record;
    }
    return best;
}

std::vector<const Record*> rivals(const ProblemView& problem, const Record& best, bool variants) {
    std::vector<const Record*> out;
    const auto time = seconds_of(best);
    for (const Record* r : variants ? problem.records : best_variants(problem)) {
        if (r == &best || (r->rung == best.rung) != variants || !is_kernel(*r) || !is_right(*r)) continue;
        if (const auto other = seconds_of(*r); time && other && other->like(*time)) out.push_back(r);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Record* a, const Record* b) { return seconds_of(*a)->value < seconds_of(*b)->value; });
    return out;
}

Decision decides(const LadderRun& run, const ProblemView& problem, const Record& best) {
    const auto time = seconds_of(best);
    if (!run.set.incomplete.empty() || !run.left_out.empty()) return Decision::incomplete;
    if (!time || time->bound) return Decision::bounds;
    if (time->basis == Basis::measured) return Decision::measured;
    for (const Record* r : rivals(problem, best, false))
        if (cannot_tell(best, *r)) return Decision::too_close;
    return Decision::predicted;
}

std::optional<Rate> rate_of(const LadderRun& run, const Record& record) {
    const auto time = seconds_of(record);
    if (!time) return std::nullopt;
    const bool product = run.ladder.reference.kind == ladder::Reference::Kind::matmul;
    if (record.flops && *record.flops > 0 && (product || !record.bytes))
        return Rate{*record.flops / time->value, "FLOP/s"};
    if (record.bytes && *record.bytes > 0) return Rate{*record.bytes / time->value, "B/s"};
    return std::nullopt;
}

std::optional<record::Ceiling> ceiling_of(const LadderRun& run, const Record& record) {
    if (record.ceiling) return record.ceiling;
    const auto time = seconds_of(record);
    if (!time || time->basis != Basis::predicted || !run.model_fits) return std::nullopt;
    Record timed;
    timed.flops = record.flops;
    timed.bytes = record.bytes;
    timed.unit = record.unit;
    timed.time = record::Time{time->value, time->value};
    predict::annotate_roofline(timed, run.model);
    return timed.ceiling;
}

namespace {

/// Counts that explain a time, with a letter for those that move together.
struct Candidate {
    Count count;
    char family;
};
constexpr Candidate kCandidates[] = {
    {Count::instructions, 'i'},
    {Count::thread_instructions, 'i'},
    {Count::branches, 'b'},
    {Count::divergent_branches, 'd'},
    {Count::barriers, 's'},
    {Count::global_load_sectors, 'g'},
    {Count::global_load_requests, 'g'},
    {Count::global_store_sectors, 'w'},
    {Count::global_store_requests, 'w'},
    {Count::global_atomic_requests, 'a'},
    {Count::local_load_requests, 'l'},
    {Count::local_store_requests, 'k'},
    {Count::shared_load_wavefronts, 'h'},
    {Count::shared_load_requests, 'h'},
    {Count::shared_load_bank_conflicts, 'c'},
    {Count::shared_store_wavefronts, 'm'},
    {Count::shared_store_requests, 'm'},
    {Count::shared_store_bank_conflicts, 'n'},
    {Count::global_bytes_requested, 'g'},
    {Count::shared_bytes_requested, 'h'},
    {Count::mix_tensor, 't'},
};

double ratio(const Change& c) {
    return std::log2((static_cast<double>(c.after) + 1) / (static_cast<double>(c.before) + 1));
}

}  // namespace

std::vector<Change> changes(const record::Counts& before, const record::Counts& after, std::size_t most) {
    // What is rare beside the instructions explains no time: 1 in 1000 for most, 1 in 10000 for what a block waits at.
    const double all = static_cast<double>(std::max(before[Count::instructions], after[Count::instructions]));
    std::vector<std::pair<Change, char>> found;
    for (const Candidate& candidate : kCandidates) {
        const Change change{candidate.count, before[candidate.count], after[candidate.count]};
        const double weight = static_cast<double>(std::max(change.before, change.after));
        if (weight * (candidate.count == Count::barriers ? 10000 : 1000) < all) continue;
        if (std::fabs(ratio(change)) < std::log2(1.05)) continue;
        found.emplace_back(change, candidate.family);
    }
    const auto size = [](const auto& c) {
        return std::lround(20 * std::fabs(ratio(c.first)));
    };  // nearly equal is equal
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
    std::vector<Change> out;
    std::string families;
    for (const auto& [change, family] : found) {
        if (out.size() == most) break;
        if (families.find(family) != std::string::npos) continue;
        families += family;
        out.push_back(change);
    }
    return out;
}

}  // namespace warpwright::lab
