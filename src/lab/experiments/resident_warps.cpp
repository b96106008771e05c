// Dynamic shared memory limits the resident blocks, so the bytes that leave room for the wanted number are computed
// here. The simulations run at the same time, since they are independent.
#include "lab/experiments/resident_warps.hpp"

#include <algorithm>
#include <future>
#include <string>

#include "lab/experiments/side_by_side.hpp"

namespace warpwright::lab {

double littles_copy(const arch::DeviceModel& model, double bytes) {
    if (model.latency.memory <= 0) return 0;
    return std::min(model.dram_bandwidth(),
                    2 * bytes * model.sm.multiprocessors * model.clocks.bound / model.latency.memory);
}

std::uint64_t held_for(const arch::DeviceModel& model, std::uint64_t blocks) {
    const auto& a = model.allocation;
    std::uint64_t bytes = model.limits.shared_per_sm / blocks / a.shared_unit * a.shared_unit;
    bytes = bytes > a.reserved_shared ? bytes - a.reserved_shared : 0;
    return std::min<std::uint64_t>(bytes, model.limits.shared_per_block_optin);
}

Result<CopyRates> simulated_copies(const Context& context, const arch::DeviceModel& model,
                                   const std::vector<std::int64_t>& warps, std::int64_t elements) {
    if (model.limits.warp != 32)
        return Error{ErrorKind::usage, "the simulated multiprocessor has warps of 32 lanes", {}, ""};
    auto devices = OtherDevices::of(context);
    if (!devices) return std::move(devices).error();
    struct Coming {
        std::int64_t each, warps;
        std::vector<OtherDevices::Coming> seconds;
    };
    std::vector<Coming> coming;
    for (const std::int64_t each : {1, 4})
        for (const std::int64_t w : warps) {
            const std::int64_t threads = w % 8 == 0 ? 256 : 64;
            const auto held = held_for(model, static_cast<std::uint64_t>(w * model.limits.warp / threads));
            auto one = devices->begin({"occupancy",
                                       "held",
                                       {{"EACH", {std::to_string(each)}},
                                        {"HELD", {std::to_string(held)}},
                                        {"BLOCK", {std::to_string(threads)}}},
                                       {elements}},
                                      {&model, 1});
            if (!one) return std::move(one).error();
            coming.push_back({each, w, std::move(*one)});
        }
    CopyRates out;
    for (Coming& c : coming) {
        auto seconds = c.seconds.front().seconds.get();
        if (!seconds) return std::move(seconds).error();
        out[{c.each, c.warps}] = 8.0 * static_cast<double>(elements) / *seconds;
    }
    return out;
}

}  // namespace warpwright::lab
