// Instructions get numbers in the order of the PTX, and intervals refer to these numbers, so that the result holds no
// pointer into the simulated code.
#include "predict/warp_timeline.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "predict/simulate.hpp"
#include "timing/warp_log.hpp"

namespace warpwright::predict {

namespace {

using record::WarpTimeline;

WarpTimeline::Instruction instruction_of(const simt::Details* at, const std::vector<std::string>& files) {
    WarpTimeline::Instruction out;
    if (!at) {
        out.text = "(what the kernel begins with)";
        return out;
    }
    out.text = at->spelling();
    out.ptx_line = at->line;
    if (at->source.line != 0 && at->source.file < files.size()) {
        out.file = files[at->source.file];
        out.line = at->source.line;
    }
    return out;
}

/// The instructions in the order of the PTX, with what they cost; `index` says where each came to stand.
std::vector<WarpTimeline::Instruction> instructions_of(const timing::WarpLog& log,
                                                       const std::vector<std::string>& files,
                                                       std::unordered_map<const simt::Details*, std::uint32_t>& index) {
    std::vector<const simt::Details*> order;
    for (const auto& [at, cycles] : log.by_instruction) order.push_back(at);
    const auto line = [](const simt::Details* at) { return at ? std::pair(at->line, at->column) : std::pair(0u, 0u); };
    std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return line(a) < line(b); });
    std::vector<WarpTimeline::Instruction> out;
    for (const auto* at : order) {
        index[at] = static_cast<std::uint32_t>(out.size());
        out.push_back(instruction_of(at, files));
        const auto& cycles = log.by_instruction.at(at);
        out.back().cycles.assign(cycles.begin(), cycles.end());
    }
    return out;
}

}  // namespace

Result<WarpTimeline> warp_timeline(const std::string& kernel, const Work& work, const arch::DeviceModel& model,
                                   double most) {
    timing::WarpLog log;
    log.until = most;
    if (auto ok = simulate(work, model, &log); !ok) return ok.error();
    WarpTimeline out;
    out.kernel = kernel, out.model = model.name;
    out.clock_hz = model.clocks.bound;
    out.schedulers = log.schedulers, out.slots = log.slots;
    out.blocks = work.trace->sample.size();
    for (unsigned k = 0; k < timing::kStalls; ++k) {
        const auto state = static_cast<timing::Stall>(k);
        out.states.push_back({timing::stall_name(state), timing::stall_meaning(state)});
    }
    for (const auto& w : log.warps) {
        out.warps.push_back({w.slot, w.scheduler, w.block, w.number, w.begin, w.end});
        out.cycles = std::max(out.cycles, w.end);
    }
    out.shown = std::min(most, out.cycles);
    std::unordered_map<const simt::Details*, std::uint32_t> index;
    out.instructions = instructions_of(log, work.trace->code->files, index);
    for (const auto& i : log.intervals)
        out.intervals.push_back({i.warp, index.at(i.at), static_cast<std::uint32_t>(i.state), i.begin, i.end});
    return out;
}

}  // namespace warpwright::predict
