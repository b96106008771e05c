// The kernels and copies of a program in the order in which they began, as nvprof --print-gpu-trace lists them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/format.hpp"
#include "report/program.hpp"
#include "report/program/events.hpp"
#include "report/program/say.hpp"

namespace warpwright::report {

namespace {

struct TraceColumn {
    const char* name;
    std::size_t width;
};
/// nvprof's columns; the name of the kernel or copy follows.
constexpr TraceColumn kColumns[] = {{"Start", 10},      {"Duration", 10}, {"Grid Size", 18},
                                    {"Block Size", 14}, {"Regs*", 5},     {"SSMem", 10},
                                    {"DSMem", 10},      {"Size", 10},     {"Stream", 6}};

/// What the column Regs holds, and who says so.
Text meaning_of_registers(const Profile& p) {
    std::set<std::string> assemblers;
    bool estimated = false;
    for (const profile::KernelUse& k : p.kernels)
        if (k.registers_source == record::kEstimated || k.registers_source.empty())
            estimated = true;
        else if (k.registers_source != record::kByDriver)
            assemblers.insert(safe(k.registers_source));
    if (p.measured()) return message("program.regs.known");
    if (assemblers.empty()) return message("program.regs.estimated");
    return message(estimated ? "program.regs.by_or_estimated" : "program.regs.by",
                   {{"a", fmt::format("{}", fmt::join(assemblers, ", "))}});
}

/// The launch's own counts; those of an average one where there are more than are kept singly, or none are.
record::Counts counts_of(const profile::KernelUse& k, std::uint64_t number) {
    for (const auto& entry : k.launches) {
        if (number < entry.count) return entry.counts;
        number -= entry.count;
    }
    return k.average_counts();
}

/// A count, what is derived from counts, or a predicted figure (of an average launch).
std::string metric_of(const Say& say, const Profile& p, const profile::KernelUse& k, const record::Counts& c,
                      const std::string& key) {
    if (const auto metric = record::find_metric(key)) {
        if (!p.knows(*metric) || k.counted == 0) return say("program.not_known");
        if (const auto* count = std::get_if<record::Count>(&*metric)) return grouped(c[*count]);
        const auto derived = std::get<record::Derived>(*metric);
        const auto quotient = value(c, derived);
        return is_sum(derived) ? grouped(total(c, derived))
               : quotient      ? fmt::format("{:.6g}", *quotient)
                               : say("program.none");
    }
    for (const record::FigureInfo& f : record::figures())
        if (k.predicted && key == std::string(kPredictedMetric) + std::string(f.key))
            if (const auto value = *k.predicted.*f.value) return fmt::format("{:.6g}", *value);
    if (const auto value = k.metric(key)) return fmt::format("{:.8g}", *value);
    return say("program.not_known");
}

/// A copy's own size; "~" and the mean of its kind where a profile has no other.
std::string size_of(const Profile& p, const profile::Event& e) {
    if (e.number > 0) return bytes(static_cast<double>(e.number));
    const auto& copy = p.copies[e.what];
    if (copy.times.calls == 0) return "-";
    return (copy.times.calls > 1 && copy.bytes > 0 ? "~" : "") +
           bytes(static_cast<double>(copy.bytes) / static_cast<double>(copy.times.calls));
}

}  // namespace

std::string program_gpu_trace(const Profile& p, const Words& words, std::size_t width,
                              const std::vector<std::string>& metrics) {
    const Say say(words, width);
    std::vector<const profile::Event*> events;
    for (const profile::Event& e : p.events)
        if (e.kind != profile::Event::Kind::call) events.push_back(&e);
    if (events.empty()) return say("program.nothing_launched") + "\n";
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
    std::string out;
    say.line(out, 0,
             say("program.gpu_trace") + " " +
                 (p.measured() ? say("program.times.measured", {{"device", safe(p.device)}})
                               : say("program.times." + times_word(p), {{"model", p.model}})),
             0);
    std::vector<Say::Column> columns;
    std::vector<std::string> names;
    for (const TraceColumn& c : kColumns) {
        names.push_back(say.name(c.name));
        columns.push_back({std::max(c.width, display_width(names.back()))});
    }
    for (const std::string& key : metrics) {
        names.push_back(key);
        columns.push_back({std::max(std::size_t{14}, display_width(key))});
    }
    say.row(out, columns, names, say.name("Name"));
    for (const profile::Event* e : events) {
        std::vector<std::string> chosen(metrics.size(), "-");
        std::string grid = "-", block = "-", registers = "-", fixed = "-", dynamic = "-", size = "-";
        if (e->kind == profile::Event::Kind::kernel && e->what < p.kernels.size()) {
            const profile::KernelUse& k = p.kernels[e->what];
            grid = fmt::format("({} {} {})", k.grid.x, k.grid.y, k.grid.z);
            block = fmt::format("({} {} {})", k.block.x, k.block.y, k.block.z);
            registers = std::to_string(k.registers);
            fixed = bytes(static_cast<double>(k.static_shared)), dynamic = bytes(static_cast<double>(k.dynamic_shared));
            const record::Counts counts = counts_of(k, e->number);
            for (std::size_t m = 0; m < metrics.size(); ++m)
                chosen[m] = say.figure(metric_of(say, p, k, counts, metrics[m]));
        } else if (e->kind == profile::Event::Kind::copy && e->what < p.copies.size()) {
            size = size_of(p, *e);
        }
        std::vector<std::string> cells{say.figure(seconds(e->start)),
                                       say.figure(seconds(e->seconds)),
                                       grid,
                                       block,
                                       registers,
                                       say.figure(fixed),
                                       say.figure(dynamic),
                                       say.figure(size),
                                       fmt::format("{}", e->lane)};
        cells.insert(cells.end(), chosen.begin(), chosen.end());
        say.row(out, columns, cells, safe(event_name(p, *e)));
    }
    say.line(out, 0, say.render(meaning_of_registers(p)), 0);
    say.line(out, 0, say("program.ssmem"), 0);
    say.line(out, 0, say("program.size_meaning"), 0);
    return out;
}

}  // namespace warpwright::report
