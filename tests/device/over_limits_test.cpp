// The emulated device refuses launches over a limit of its model.
#include "common/over_limits.hpp"
#include "arch/model.hpp"
#include "support.hpp"
#include "support/cause.hpp"

namespace over_limits_test {

using namespace device_tests;
using warpwright::test::kOverLimits;

TEST(OverLimits, TheEmulatedDeviceRefusesThem) {
    warpwright::device::EmulatedOptions options;
    options.limits = warpwright::launch::limits_of(warpwright::arch::load_model("h200").value());
    options.threads = 1;
    auto device = warpwright::device::make_emulated(options);
    ASSERT_TRUE(device) << device.error().text();
    auto module = (*device)->load("k.ptx", warpwright::test::kAnyKernel);
    ASSERT_TRUE(module) << module.error().text();
    for (const auto& over : kOverLimits) {
        LaunchConfig config;
        config.grid = {over.grid[0], over.grid[1], over.grid[2]};
        config.block = {over.block[0], over.block[1], over.block[2]};
        config.dynamic_shared = over.dynamic_shared;
        config.cooperative = over.cooperative;
        const auto ran = (*device)->launch(**module, "k", config, {}, {});
        ASSERT_FALSE(ran) << over.words;
        EXPECT_EQ(ran.error().kind, ErrorKind::limit);
        EXPECT_EQ(ran.error().what, over.words);
        EXPECT_EQ(warpwright::info(ran.error().cause).cuda, over.cuda) << over.words;
    }
    EXPECT_TRUE((*device)->launch(**module, "k", {}, {}, {})) << "the kernel itself is fine";
}

}  // namespace over_limits_test
