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

}  // namespace

std::string program_gpu_trace(const Profile& p, const Words& words, std::size_t width) {
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
    say.row(out, columns, names, say.name("Name"));
    for (const profile::Event* e : events) {
        std::string grid = "-", block = "-", registers = "-", fixed = "-", dynamic = "-", size = "-";
        if (e->kind == profile::Event::Kind::kernel && e->what < p.kernels.size()) {
            const profile::KernelUse& k = p.kernels[e->what];
            grid = fmt::format("({} {} {})", k.grid.x, k.grid.y, k.grid.z);
            block = fmt::format("({} {} {})", k.block.x, k.block.y, k.block.z);
            registers = std::to_string(k.registers);
            fixed = bytes(static_cast<double>(k.static_shared)), dynamic = bytes(static_cast<double>(k.dynamic_shared));
        } else if (e->what < p.copies.size() && p.copies[e->what].times.calls > 0) {
            const auto& copy = p.copies[e->what];  // of copies only the sum is known
            size = (copy.times.calls > 1 ? "~" : "") +
                   bytes(static_cast<double>(copy.bytes) / static_cast<double>(copy.times.calls));
        }
        say.row(out, columns,
                {say.figure(seconds(e->start)), say.figure(seconds(e->seconds)), grid, block, registers,
                 say.figure(fixed), say.figure(dynamic), say.figure(size), fmt::format("{}", e->lane)},
                safe(event_name(p, *e)));
    }
    say.line(out, 0, say.render(meaning_of_registers(p)), 0);
    say.line(out, 0, say("program.ssmem"), 0);
    say.line(out, 0, say("program.size_meaning"), 0);
    return out;
}

}  // namespace warpwright::report
