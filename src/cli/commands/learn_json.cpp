// The answer to an attempt as JSON: for `grade`, for the page of `serve`, and for other programs.
#include <nlohmann/json.hpp>

#include "cli/commands/learn.hpp"
#include "cli/commands/learn_access.hpp"
#include "cli/commands/learn_text.hpp"
#include "predict/prediction.hpp"
#include "record/metrics.hpp"
#include "report/finding_text.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

using learn::Point;
using nlohmann::json;

/// The lines of the learner's file with their counts, those that are not zero, and the cycles that warps stood there.
json lines_json(const record::Record& r, const std::string& file) {
    json out = json::array();
    for (const record::LineCounts& l : r.lines) {
        if (l.file != file) continue;
        json counts = json::object();
        for (const auto& name : record::count_names())
            if (name.synonym_meaning.empty() && l.counts[name.count])
                counts[std::string(name.key)] = l.counts[name.count];
        json one = {{"line", l.line}, {"counts", std::move(counts)}};
        if (const auto* stood = r.predicted ? r.predicted->line(l.file, l.line) : nullptr) {
            double all = 0;
            for (const auto& [state, cycles] : stood->stalls) all += cycles;
            one["stood"] = all;
        }
        out.push_back(std::move(one));
    }
    return out;
}

/// For the page: every access of the learner's file.
json accesses_json(const Desk& desk, const learn::Verdict& v, const std::string& file) {
    json out = json::array();
    for (const auto& a : v.view.accesses)
        if (a.file == file)
            out.push_back({{"line", a.line},
                           {"instruction", a.instruction},
                           {"space", a.space},
                           {"lanes", a.lanes},
                           {"bytes", a.bytes},
                           {"wavefronts", a.wavefronts},
                           {"least", least_of(a)},
                           {"text", access_sentence(desk, a)},
                           {"sectors", a.sectors},
                           {"at", a.at}});
    return out;
}

/// The first intervals of what the warps did, and the states with what they mean.
json course_json(const Desk& desk, const record::WarpCourse& course) {
    constexpr std::size_t kNumbers = 4, kMost = 1500 * kNumbers;
    json states = json::array();
    for (const std::string& s : course.states)
        states.push_back({s, desk.words.render(message_or("stall." + s, predict::stall_meaning(s)))});
    const bool cut = course.intervals.size() > kMost;
    const auto end = course.intervals.begin() + static_cast<std::ptrdiff_t>(cut ? kMost : course.intervals.size());
    // They are sorted by their begin: before that of the first one that is left out nothing is missing.
    const double shown = cut ? static_cast<double>(*(end + 2)) : course.shown;
    return {{"cycles", course.cycles},
            {"shown", shown},
            {"states", std::move(states)},
            {"intervals", std::vector<std::uint32_t>(course.intervals.begin(), end)}};
}

json models_json(const Desk& desk, const std::vector<learn::OnModel>& models) {
    json out = json::array();
    for (const learn::OnModel& m : models) {
        if (!m.why.empty())
            out.push_back({{"name", m.name}, {"why", desk.words.render(carried_text(printable(m.why)))}});
        else
            out.push_back({{"name", m.name},
                           {"seconds", m.seconds},
                           {"binds", desk.words.render(name_text(m.binds))},
                           {"occupancy", m.occupancy}});
    }
    return out;
}

/// A few figures of the whole launch, for a comparison with the version before.
json figures_json(const record::Record& r) {
    json out = json::object();
    if (r.predicted) out["predicted_time"] = r.predicted->seconds;
    for (const char* key : {"instructions", "global_load_sectors_per_request", "global_store_sectors_per_request",
                            "shared_bank_conflicts", "divergent_branches", "lane_efficiency"}) {
        const auto metric = record::find_metric(key);
        if (!metric || !r.counts) continue;
        if (const auto* count = std::get_if<record::Count>(&*metric))
            out[key] = (*r.counts)[*count];
        else if (const auto value = record::value(*r.counts, std::get<record::Derived>(*metric)))
            out[key] = *value;
    }
    return out;
}

json verdict_json(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v, const std::string& file) {
    json out = {{"schema", 1}, {"exercise", exercise.name}, {"done", v.done}, {"points", json::array()}};
    static constexpr const char* kWhat[] = {"compiles", "no_findings", "right", "requirement", "answer", "readable"};
    static constexpr const char* kCompare[] = {"at_most", "at_least", "equal"};
    for (const Point& p : v.points) {
        json one = {{"what", kWhat[static_cast<int>(p.what)]}, {"holds", p.holds}};
        if (!p.name.empty()) one["name"] = p.name;
        if (p.value) one["value"] = *p.value;
        if (p.limit && p.what == Point::What::requirement)
            one["limit"] = *p.limit, one["compare"] = kCompare[static_cast<int>(p.compare)];
        out["points"].push_back(std::move(one));
    }
    if (!v.say.empty()) out["say"] = v.say;
    if (!v.say.empty() || v.told) out["text"] = said(desk, exercise, v);
    for (const auto& [name, value] : v.values)
        if (const auto* line = std::get_if<std::int64_t>(&value); line && name == "line" && *line > 0)
            out["line"] = *line;
    // Who judges for somebody else (`serve`) knows how many hints are open there.
    const bool fixes = v.done || desk.options.run.untrusted || fixes_told(desk, exercise);
    if (v.counted && v.counted->predicted)
        for (const auto& one : causes_of(desk, *v.counted->predicted))
            out["causes"].push_back(fixes ? json{{"seen", one.seen}, {"fix", one.fix}} : json{{"seen", one.seen}});
    if (!v.view.accesses.empty()) out["accesses"] = accesses_json(desk, v, file);
    if (!v.view.course.intervals.empty()) out["course"] = course_json(desk, v.view.course);
    if (!v.view.models.empty()) out["models"] = models_json(desk, v.view.models);
    if (const auto& r = v.roofline)
        out["roofline"] = {{"bandwidth", r->bandwidth},
                           {"peak", r->peak},
                           {"operations", r->operations},
                           {"bytes", r->bytes},
                           {"seconds", r->seconds}};
    if (v.counted) out["lines"] = lines_json(*v.counted, file), out["figures"] = figures_json(*v.counted);
    if (!v.done && !v.warnings.empty()) out["warnings"] = v.warnings;
    if (!v.output.empty()) out["output"] = v.output.substr(0, kMostOutput);
    if (v.error) out["error"] = v.finding ? finding_line(desk, *v.finding, file) : error_line(desk, *v.error);
    if (!v.error && v.say.empty() && v.finding) out["error"] = finding_line(desk, *v.finding, file);
    if (v.error && v.error->where.line > 0 && v.error->where.file == file) out["line"] = v.error->where.line;
    if (v.finding)
        out["finding"] = {{"kind", record::info(v.finding->kind).name},
                          {"message", desk.words.render(report::finding_text(*v.finding))},
                          {"file", v.finding->at.file},
                          {"line", v.finding->at.line}};
    return out;
}

}  // namespace

std::string answer_json(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& verdict,
                        const std::string& file) {
    return verdict_json(desk, exercise, verdict, file).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace warpwright::cli
