// A program is right where it prints what the reference prints and fails where that fails. It runs under the checkers
// at each hidden size, and once more for its profile. Where the reference ends with an error, so must the program; what
// the checkers say of a failed call is then looked at as well: one that nobody looked at is the mistake.
#include <algorithm>
#include <thread>

#include "learn/verdicts.hpp"
#include "profile/program_causes.hpp"
#include "record/bottleneck.hpp"
#include "record/metrics.hpp"
#include "support/source_files.hpp"
#include "support/trimmed.hpp"

namespace warpwright::learn {
namespace {

using profile::Event;
using profile::Profile;

bool over_link(const std::string& copy) {
    return copy.find("HtoD") != std::string::npos || copy.find("DtoH") != std::string::npos;
}

/// Of the time in which something is copied between host and device, the part in which a kernel runs as well.
std::optional<double> overlap(const Profile& p) {
    profile::BusyTimes kernels, copies;
    std::vector<const Event*> events;
    for (const Event& e : p.events) events.push_back(&e);
    std::sort(events.begin(), events.end(),
              [](const Event* a, const Event* b) { return a->start + a->seconds < b->start + b->seconds; });
    for (const Event* e : events) {
        if (e->kind == Event::Kind::kernel) kernels.add(e->start, e->start + e->seconds);
        if (e->kind == Event::Kind::copy && over_link(p.copies[e->what].name))
            copies.add(e->start, e->start + e->seconds);
    }
    const double all = copies.sum();
    if (all <= 0) return std::nullopt;
    return (all - sum_without(copies, kernels)) / all;
}

/// From the first work on the device to the last.
std::optional<double> span(const Profile& p) {
    std::optional<double> from, to;
    for (const Event& e : p.events) {
        if (e.kind == Event::Kind::call) continue;
        from = std::min(from.value_or(e.start), e.start);
        to = std::max(to.value_or(0), e.start + e.seconds);
    }
    return from ? std::optional(*to - *from) : std::nullopt;
}

/// A cause of the program as a whole, or the largest of its launches.
const record::Bottleneck* cause_of(const Profile& p, std::string_view name) {
    const record::Bottleneck* out = nullptr;
    const auto take = [&](const std::vector<record::Bottleneck>& all) {
        for (const auto& b : all)
            if (b.cause == name && (!out || b.share > out->share)) out = &b;
    };
    take(p.causes);
    for (const auto& k : p.kernels)
        if (k.predicted) take(k.predicted->causes);
    return out;
}

std::optional<double> value_of(const Profile& p, const std::string& metric) {
    if (metric == kTime) return span(p);
    if (metric == "overlap") return overlap(p);
    if (metric.starts_with(kCause)) {
        const auto* cause = cause_of(p, std::string_view(metric).substr(kCause.size()));
        return cause ? cause->share : 0.0;
    }
    const auto found = record::find_metric(metric);
    if (!found) return std::nullopt;
    record::Counts all;
    for (const auto& k : p.kernels) all += k.counts;
    if (const auto* count = std::get_if<record::Count>(&*found)) return static_cast<double>(all[*count]);
    return record::value(all, std::get<record::Derived>(*found));
}

std::pair<std::string, unsigned> line_of(const Profile& p, const std::string& metric) {
    if (metric.starts_with(kCause)) {
        const auto* cause = cause_of(p, std::string_view(metric).substr(kCause.size()));
        return cause ? std::pair{cause->file, cause->line} : std::pair<std::string, unsigned>{};
    }
    std::pair<std::string, unsigned> out;
    const auto found = record::find_metric(metric);
    std::uint64_t most = 0;
    for (const auto& k : p.kernels)
        for (const auto& [place, counts] : k.lines) {
            if (!found) continue;
            const auto* count = std::get_if<record::Count>(&*found);
            const auto cost = count ? counts[*count] : record::total(counts, std::get<record::Derived>(*found));
            if (cost > most) most = cost, out = place;
        }
    return out;
}

/// The first line in which two outputs differ.
std::string difference(const std::string& expected, const std::string& found) {
    std::size_t from = 0;
    while (from < expected.size() && from < found.size() && expected[from] == found[from]) ++from;
    const std::size_t begin = from == 0 ? 0 : found.rfind('\n', from - 1) + 1;
    const auto line = [&](const std::string& text) {
        return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin).substr(0, 80) : std::string();
    };
    return "\"" + line(found) + "\", \"" + line(expected) + "\"";
}

/// A solution that ends with an error at some size is meant to; one that does so at every size does not run here.
Result<void> solution_runs(const Exercise& exercise, Workshop& workshop, std::uint64_t seed) {
    std::string errors;
    for (const auto& size : exercise.sizes) {
        const auto expected = workshop.program_expected(size, seed);
        if (!expected) return expected.error();
        if (expected->code == 0) return {};
        errors = expected->errors;
    }
    const std::string last(trimmed(errors));
    return Error{ErrorKind::no_device,
                 "the solution of this exercise does not run here: " + printable(last.substr(last.rfind('\n') + 1)),
                 Location{exercise.reference_file(), 0, 0}, "run it alone: warpwright run FILE"};
}

/// One hidden size. False: what is behind it is not looked at.
Result<bool> trial_holds(Verdict& v, const Exercise& exercise, Workshop& workshop, const std::string& program, bool own,
                         const std::vector<std::int64_t>& size, std::uint64_t seed) {
    auto* programs = *workshop.programs();
    auto ran = programs->run(program, program_arguments(size, seed), true, own);
    const auto expected = workshop.program_expected(size, seed);
    if (!expected) return expected.error();
    if (!ran) {
        v.points.push_back({Point::What::no_findings});
        v.error = std::move(ran).error();
        return false;
    }
    v.output = ran->output + ran->errors;
    // Who ends at an error frees nothing any more.
    if (expected->code != 0)
        std::erase_if(ran->findings, [](const auto& f) { return f.kind == record::FindingKind::leak; });
    if (const auto* error = first_error(ran->findings)) {
        v.points.push_back({Point::What::no_findings});
        say_finding(v, exercise, size, *error);
        return false;
    }
    if (ran->output == expected->output && (ran->code == 0) == (expected->code == 0)) return true;
    v.points.push_back({Point::What::no_findings, "", true});
    v.points.push_back({Point::What::right});
    say_wrong(v, exercise, size,
              ran->output != expected->output
                  ? difference(expected->output, ran->output)
                  : "exit code " + std::to_string(ran->code) + ", " + std::to_string(expected->code));
    return false;
}

}  // namespace

Result<std::optional<double>> own_program_figure(Workshop& workshop, const std::string& rung,
                                                 const std::string& metric) {
    return workshop.figure({rung, metric}, [&]() -> Result<std::optional<double>> {
        auto counted = workshop.program_counted(rung);
        if (!counted) return std::move(counted).error();
        return value_of(counted->profile, metric);
    });
}

Result<Verdict> judge_program(const Exercise& exercise, Workshop& workshop, const ladder::Rung& rung,
                              std::uint64_t seed, const std::string& file) {
    auto programs = workshop.programs();
    if (!programs) return std::move(programs).error();
    const bool own = file.empty();
    Verdict v;
    auto program = own ? workshop.own_program(rung.name) : (*programs)->build(file, false);
    if (!program) {
        // What the machine lacks is no fault of the file's.
        if (program.error().kind != ErrorKind::input) return std::move(program).error();
        v.points.push_back({Point::What::compiles});
        v.error = std::move(program).error();
        return v;
    }
    v.points.push_back({Point::What::compiles, "", true});
    // What is expected is made while the program runs, where it takes long: an interpreter that starts.
    std::optional<std::jthread> ahead;
    if ((*programs)->side_by_side() && workshop.own_program(exercise.reference))
        ahead.emplace([&] {
            for (const auto& size : exercise.sizes) (void)workshop.program_expected(size, seed);
        });
    bool all = true;
    for (const auto& size : exercise.sizes) {
        auto good = trial_holds(v, exercise, workshop, *program, own, size, seed);
        if (!good) return std::move(good).error();
        if (all = *good; !all) break;
    }
    if (auto ok = solution_runs(exercise, workshop, seed); !ok) return std::move(ok).error();
    if (!all) return v;
    v.points.push_back({Point::What::no_findings, "", true});
    v.points.push_back({Point::What::right, "", true});
    if (exercise.requirements.empty()) {
        v.done = true;
        return v;
    }
    auto ran = (*programs)->run(*program, program_arguments(exercise.measured, seed), false, own);
    if (!ran) return std::move(ran).error();
    const auto own_value = [&](const std::string& name, const std::string& metric) {
        return own_program_figure(workshop, name, metric);
    };
    if (auto ok = hold_requirements(
            v, exercise, own_value, [&](const std::string& m) { return value_of(ran->profile, m); },
            [&](const std::string& m) { return line_of(ran->profile, m); });
        !ok)
        return std::move(ok).error();
    v.done = std::all_of(v.points.begin(), v.points.end(), [](const Point& p) { return p.holds; });
    return v;
}

}  // namespace warpwright::learn
