// The kernels and copies of a program in the order in which they began, as nvprof --print-gpu-trace lists them.
#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/program.hpp"
#include "report/program/events.hpp"

namespace warpwright::report {

std::string program_gpu_trace(const Profile& p) {
    std::vector<const profile::Event*> events;
    for (const profile::Event& e : p.events)
        if (e.kind != profile::Event::Kind::call) events.push_back(&e);
    if (events.empty()) return "No kernels were launched.\n";
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
    std::string out =
        p.measured() ? fmt::format("GPU trace. All times were measured on {}.\n", safe(p.device))
                     : fmt::format("GPU trace. Times are {} on {} (no GPU measured them).\n", times_word(p), p.model);
    out += fmt::format("{:>10}  {:>10}  {:>18}  {:>14}  {:>5}  {:>10}  {:>10}  {:>10}  {:>6}  {}\n", "Start",
                       "Duration", "Grid Size", "Block Size", "Regs*", "SSMem", "DSMem", "Size", "Stream", "Name");
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
        out += fmt::format("{:>10}  {:>10}  {:>18}  {:>14}  {:>5}  {:>10}  {:>10}  {:>10}  {:>6}  {}\n",
                           seconds(e->start), seconds(e->seconds), grid, block, registers, fixed, dynamic, size,
                           e->lane, safe(event_name(p, *e)));
    }
    out +=
        "Regs: registers per thread, estimated on the emulated GPU. SSMem and DSMem: static and dynamic shared memory "
        "per block.\nSize: bytes copied; with ~ the mean of the copies of that kind.\n";
    return out;
}

}  // namespace warpwright::report
