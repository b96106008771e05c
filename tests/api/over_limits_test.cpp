// The C++ interface refuses launches over a limit of the device model.
#include "common/over_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warpwright/profile.hpp"

namespace over_limits_test {

using namespace warpwright;
using ::testing::HasSubstr;

TEST(OverLimits, TheCxxInterfaceRefusesThem) {
    auto gpu = Device::open({.model = "h200"});
    ASSERT_TRUE(gpu) << gpu.error().text();
    auto program = gpu->load_ptx("k.ptx", test::kAnyKernel);
    ASSERT_TRUE(program) << program.error().text();
    for (const auto& over : test::kOverLimits) {
        const Extent grid{over.grid[0], over.grid[1], over.grid[2]}, block{over.block[0], over.block[1], over.block[2]};
        LaunchOptions options;
        options.dynamic_shared = over.dynamic_shared;
        options.cooperative = over.cooperative;
        const auto ran = gpu->launch(*program, "k", grid, block, {}, options);
        ASSERT_FALSE(ran) << over.words;
        EXPECT_EQ(ran.error().kind, ErrorKind::limit);
        EXPECT_THAT(ran.error().what, HasSubstr(over.words));
        const auto seen = take_profile(*gpu, *program, "k", grid, block, {}, options);
        ASSERT_FALSE(seen) << over.words;
        EXPECT_THAT(seen.error().what, HasSubstr(over.words));
    }
    EXPECT_TRUE(gpu->launch(*program, "k", {1}, {32}, {})) << "the kernel itself is fine";
}

}  // namespace over_limits_test
