// How the slots and turns of a block are shared out among its warps and lanes, between barriers: what one warp or one
// thread does alone is told as imbalance.
#include "predict/block_shares.hpp"

#include <cmath>

namespace warpwright::predict {

using machine::Event;

BlockShares::BlockShares(const machine::BlockTrace& block, const machine::Code& code)
    : barriers_(code.blocks.size()), slots_(code.blocks.size()), warps_(static_cast<double>(block.warps.size())) {
    for (std::size_t b = 0; b < code.blocks.size(); ++b) {
        slots_[b] = code.blocks[b].slots;
        for (const machine::Op& op : code.blocks[b].ops)
            if (op.effect == machine::Effect::barrier && !op.waits_phase) barriers_[b] = true;
    }
    if (warps_ < 2 || std::any_of(block.warps.begin(), block.warps.end(), [](const auto& w) { return w.cut; })) return;
    std::vector<double> longest;  // by part: the issue slots of the warp that has most
    for (const auto& warp : block.warps) add(warp, longest);
    for (const double slots : longest) longest_ += slots;
    for (const auto& [at, run] : runs_) {
        shared_ += slots_[at.second] * std::ceil(run.times / warps_);
        by_lanes_ += slots_[at.second] * std::ceil(run.warps_of_lanes / warps_);
    }
}

void BlockShares::add(const machine::WarpTrace& warp, std::vector<double>& longest) {
    std::vector<Run> own(slots_.size());  // of one part
    std::vector<std::uint32_t> met;
    double slots = 0;
    unsigned part = 0, full = 0;
    const auto end_part = [&] {
        for (const std::uint32_t what : met) {
            Run& run = runs_[{part, what}];
            run.times += own[what].times, run.warps_of_lanes += own[what].warps_of_lanes;
            run.most = std::max(run.most, own[what].times);
            own[what] = {};
        }
        if (longest.size() <= part) longest.resize(part + 1);
        longest[part] = std::max(longest[part], slots);
        met.clear(), slots = 0;
    };
    for (const Event& e : warp.events) {
        if (e.what & Event::kAccess) continue;
        if (full == 0) full = std::max(1u, e.lanes);
        if (own[e.what].times == 0) met.push_back(e.what);
        ++own[e.what].times, own[e.what].warps_of_lanes += static_cast<double>(e.lanes) / full;
        slots += slots_[e.what];
        if (!barriers_[e.what]) continue;
        end_part();
        ++part;
    }
    end_part();
}

}  // namespace warpwright::predict
