#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/occupancy.hpp"

namespace warpwright::arch {
namespace occupancy_test {

using testing::ElementsAre;
using testing::HasSubstr;

const DeviceModel& model(const std::string& name) {
    static std::map<std::string, DeviceModel> loaded;
    if (!loaded.count(name)) {
        auto m = load_model(name);
        EXPECT_TRUE(m.ok()) << (m ? "" : m.error().text());
        loaded[name] = m ? *m : DeviceModel{};
    }
    return loaded[name];
}

// 600 launches on five devices; the expected values were computed with NVIDIA's own occupancy functions
// (cuda_occupancy.h of CUDA 13.0) with the largest shared-memory split and the opt-in limit.
TEST(Occupancy, AgreesWithNvidiasCalculator) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/arch/golden/occupancy.csv");
    std::string line;
    std::getline(in, line);
    unsigned rows = 0, launchable = 0;
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        std::string name;
        std::getline(fields, name, ',');
        std::uint32_t registers, shared, threads, blocks, registers_per_block, shared_per_block;
        char comma;
        ASSERT_TRUE(fields >> registers >> comma >> shared >> comma >> threads >> comma >> blocks >> comma >>
                    registers_per_block >> comma >> shared_per_block)
            << line;
        const Occupancy o = occupancy(model(name), registers, shared, threads);
        EXPECT_EQ(o.blocks, blocks) << line << ' ' << o.limiter_text();
        EXPECT_EQ(o.registers_per_block, registers_per_block) << line;
        EXPECT_EQ(o.shared_per_block, shared_per_block) << line;
        EXPECT_EQ(o.refusal.empty(), blocks > 0) << line;
        ++rows;
        launchable += blocks > 0;
    }
    EXPECT_EQ(rows, 600u);
    EXPECT_GT(launchable, 300u);
}

// By hand, from the limits in the Programming Guide.
TEST(Occupancy, FullOnEveryDevice) {
    for (const char* name : {"h200", "a100", "v100", "k40c"}) {
        const Occupancy o = occupancy(model(name), 32, 0, 256);
        EXPECT_EQ(o.blocks, 8u);
        EXPECT_EQ(o.warps, 64u);
        EXPECT_DOUBLE_EQ(o.fraction, 1.0);
        EXPECT_THAT(o.limiters, ElementsAre(Limiter::warps, Limiter::registers));
    }
}

TEST(Occupancy, RegistersAreAllocatedInUnitsPerWarp) {
    // 33 registers x 32 lanes = 1056, rounded to 1280; 16384 / 1280 = 12 warps a sub-partition, 48 in all, 6 blocks.
    const Occupancy o = occupancy(model("h200"), 33, 0, 256);
    EXPECT_EQ(o.blocks, 6u);
    EXPECT_DOUBLE_EQ(o.fraction, 0.75);
    EXPECT_EQ(o.registers_per_block, 8u * 1280);
    EXPECT_THAT(o.limiters, ElementsAre(Limiter::registers));
}

TEST(Occupancy, SharedMemoryCountsTheReserve) {
    // 24 KiB + 1 KiB of reserve: 228 / 25 = 9 blocks; without the reserve it would also be 9.5.
    EXPECT_EQ(occupancy(model("h200"), 32, 24 * 1024, 64).blocks, 9u);
    // 37 KiB: 228 / 38 = 6 with the reserve and exactly full.
    EXPECT_EQ(occupancy(model("h200"), 32, 37 * 1024, 64).blocks, 6u);
    EXPECT_EQ(occupancy(model("h200"), 32, 37 * 1024 + 1, 64).blocks, 5u);
    // No reserve on Volta: 96 / 32 = 3.
    EXPECT_EQ(occupancy(model("v100"), 32, 32 * 1024, 64).blocks, 3u);
    EXPECT_EQ(occupancy(model("v100"), 32, 32 * 1024, 64).limiter_text(), "shared memory");
}

TEST(Occupancy, BlockSlots) {
    EXPECT_EQ(occupancy(model("h200"), 16, 0, 32).blocks, 32u);
    EXPECT_EQ(occupancy(model("k40c"), 16, 0, 32).blocks, 16u);
    EXPECT_DOUBLE_EQ(occupancy(model("k40c"), 16, 0, 32).fraction, 0.25);
    EXPECT_EQ(occupancy(model("k40c"), 16, 0, 32).limiter_text(), "blocks");
}

TEST(Occupancy, APartOfAWarpTakesAWarp) { EXPECT_EQ(occupancy(model("h200"), 32, 0, 33).warps_per_block, 2u); }

TEST(Occupancy, SaysWhyALaunchIsRefused) {
    const DeviceModel& m = model("h200");
    EXPECT_THAT(occupancy(m, 32, 0, 1025).limiter_text(), HasSubstr("1025 threads per block"));
    EXPECT_THAT(occupancy(m, 256, 0, 32).limiter_text(), HasSubstr("256 registers per thread"));
    EXPECT_THAT(occupancy(m, 65, 0, 1024).limiter_text(), HasSubstr("registers per block"));
    EXPECT_THAT(occupancy(m, 32, 227 * 1024 + 1, 32).limiter_text(), HasSubstr("shared memory per block"));
    EXPECT_EQ(occupancy(m, 32, 227 * 1024, 32).blocks, 1u);
    EXPECT_THAT(occupancy(m, 32, 0, 0).limiter_text(), HasSubstr("no threads"));
    // Numbers that would wrap in 32 bits.
    EXPECT_EQ(occupancy(m, 32, std::uint64_t{1} << 40, 32).blocks, 0u);
    EXPECT_EQ(occupancy(m, 0xFFFFFFFFu, 0, 32).blocks, 0u);
    EXPECT_EQ(occupancy(m, 32, 0, std::uint64_t{1} << 32).blocks, 0u);
}

}  // namespace occupancy_test
}  // namespace warpwright::arch
