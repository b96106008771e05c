// Experiments cannot launch over a limit of the device model either.
#include "common/over_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/model.hpp"
#include "device/emulated/emulated.hpp"
#include "lab/experiments/workbench.hpp"
#include "launch/limits.hpp"

namespace warpwright::lab {
namespace over_limits_test {

TEST(OverLimits, AnExperimentsLaunchIsRefused) {
    const arch::DeviceModel model = arch::load_model("h200").value();
    device::EmulatedOptions options;
    options.limits = launch::limits_of(model);
    options.threads = 1;
    auto made = device::make_emulated(options);
    ASSERT_TRUE(made) << made.error().text();
    const Context context{**made, model, true, std::make_shared<Target>()};
    const Workbench bench = Workbench::on(context);
    auto module = bench.device().load("k.ptx", warpwright::test::kAnyKernel);
    ASSERT_TRUE(module) << module.error().text();
    for (const auto& over : warpwright::test::kOverLimits) {
        device::LaunchConfig config;
        config.grid = {over.grid[0], over.grid[1], over.grid[2]};
        config.block = {over.block[0], over.block[1], over.block[2]};
        config.dynamic_shared = over.dynamic_shared;
        config.cooperative = over.cooperative;
        const auto step = bench.step(*module, "k", config, {});
        ASSERT_TRUE(step) << step.error().text();
        const auto ran = bench.run(*step);
        ASSERT_FALSE(ran) << over.words;
        EXPECT_EQ(ran.error().kind, ErrorKind::limit);
        EXPECT_EQ(ran.error().what, over.words);
    }
}

}  // namespace over_limits_test
}  // namespace warpwright::lab
