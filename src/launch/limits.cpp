// A figure of 0 is one that the model's file lacks. The model itself goes along with its limits, because occupancy
// needs figures that no limit holds.
#include "launch/limits.hpp"

#include <algorithm>

namespace warpwright::launch {

Limits limits_of(const arch::DeviceModel& model) {
    Limits out;
    const auto& l = model.limits;
    const auto take = [](auto& to, auto from) {
        if (from) to = from;
    };
    take(out.threads_per_block, l.threads_per_block);
    take(out.block.x, l.block_x), take(out.block.y, l.block_y), take(out.block.z, l.block_z);
    take(out.grid.x, l.grid_x), take(out.grid.y, l.grid_y), take(out.grid.z, l.grid_z);
    take(out.shared_per_block, l.shared_per_block);
    out.shared_per_block_optin = std::max<std::uint64_t>(l.shared_per_block_optin, out.shared_per_block);
    take(out.registers_per_thread, l.registers_per_thread);
    take(out.warp, l.warp);
    take(out.multiprocessors, model.sm.multiprocessors);
    take(out.compute_capability, model.compute_capability);
    out.model = std::make_shared<const arch::DeviceModel>(model);
    return out;
}

}  // namespace warpwright::launch
