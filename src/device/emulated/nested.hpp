// The device's part in launches by kernels: whether one is allowed, and whom to tell of it. Internal to this room.
#pragma once

#include "device/emulated/device_runtime.hpp"
#include "device/emulated/module.hpp"
#include "device/launch.hpp"
#include "engine/run/engine.hpp"

namespace warpwright::device {

class NestedLaunches final : public engine::NestedHost {
public:
    /// `side` answers the kernels' questions and hears of their grids; it may be null.
    NestedLaunches(EmulatedModule& module, const Limits& limits, KernelSide* side)
        : module_(module), limits_(limits), side_(side) {}

    std::uint32_t check(engine::ChildGrid& grid) override;
    timeline::Work ended(const engine::ChildGrid& grid, const LaunchResult& result) override;
    timeline::Work moved(bool fill, std::uint64_t bytes) override;
    std::uint32_t ask(Question question, ptx::SymbolId function, const std::uint64_t* arguments,
                      std::vector<std::byte>& answer) override;

private:
    EmulatedModule& module_;
    const Limits& limits_;
    KernelSide* side_;
};

}  // namespace warpwright::device
