#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/occupancy.hpp"

namespace warpwright::arch {
namespace capabilities_test {

using testing::HasSubstr;

DeviceModel limits(const std::string& name) {
    auto m = load_limits(name);
    EXPECT_TRUE(m.ok()) << (m ? "" : m.error().text());
    return m ? *m : DeviceModel{};
}

// The course's two tables of limits, column by column.
TEST(Capabilities, AreThoseOfTheTexts) {
    struct Column {
        const char* name;
        unsigned blocks, warps, threads, per_block, registers, per_thread, shared, shared_block;
    };
    const Column columns[] = {
        {"cc1.1", 8, 24, 768, 512, 8192, 128, 16, 16},     {"cc1.3", 8, 32, 1024, 512, 16384, 128, 16, 16},
        {"cc2.0", 8, 48, 1536, 1024, 32768, 63, 48, 48},   {"cc3.0", 16, 64, 2048, 1024, 65536, 63, 48, 48},
        {"cc3.5", 16, 64, 2048, 1024, 65536, 255, 48, 48}, {"cc5.0", 32, 64, 2048, 1024, 65536, 255, 64, 48},
        {"cc7.0", 32, 64, 2048, 1024, 65536, 255, 96, 48}};
    for (const Column& c : columns) {
        const auto l = limits(c.name).limits;
        EXPECT_EQ(l.blocks_per_sm, c.blocks) << c.name;
        EXPECT_EQ(l.warps_per_sm, c.warps) << c.name;
        EXPECT_EQ(l.threads_per_sm, c.threads) << c.name;
        EXPECT_EQ(l.threads_per_block, c.per_block) << c.name;
        EXPECT_EQ(l.registers_per_sm, c.registers) << c.name;
        EXPECT_EQ(l.registers_per_thread, c.per_thread) << c.name;
        EXPECT_EQ(l.shared_per_sm, c.shared * 1024) << c.name;
        EXPECT_EQ(l.shared_per_block, c.shared_block * 1024) << c.name;
    }
    EXPECT_EQ(limits("cc2.0").limits.grid_x, 65535u);
    EXPECT_EQ(limits("cc3.0").limits.grid_x, 2147483647u);
}

// What a device model says of its compute capability is what the table says.
TEST(Capabilities, AgreeWithTheDeviceModels) {
    auto all = load_capabilities();
    ASSERT_TRUE(all.ok()) << all.error().text();
    EXPECT_GE(all->size(), 25u);
    unsigned compared = 0;
    for (const std::string& name : list_models()) {
        auto m = load_model(name);
        ASSERT_TRUE(m.ok()) << m.error().text();
        for (const DeviceModel& c : *all) {
            if (c.compute_capability != m->compute_capability) continue;
            ++compared;
            EXPECT_EQ(c.coalescing, m->coalescing) << name;
            EXPECT_EQ(c.architecture, m->architecture) << name;
            for (const Figure& f : figures(c))
                for (const Figure& g : figures(*m))
                    if (f.table == g.table && f.key == g.key) {
                        EXPECT_EQ(f.value, g.value) << name << ' ' << f.table << '.' << f.key;
                    }
        }
    }
    EXPECT_GE(compared, 12u);
}

// Figures of NVIDIA's spreadsheet's own rules, worked out by hand.
TEST(Capabilities, RegistersOfOldDevicesGoToTheBlock) {
    // 1.0: 96 threads are 3 warps, counted as 4: 4 x 32 x 10 = 1280 registers, 8192 / 1280 = 6 blocks.
    Occupancy o = occupancy(limits("cc1.0"), 10, 0, 96);
    EXPECT_EQ(o.registers_per_block, 1280u);
    EXPECT_EQ(o.blocks_by_registers, 6u);
    EXPECT_EQ(o.warps, 18u);
    // 1.3: 8 x 32 x 17 = 4352, in units of 512: 4608; three blocks.
    o = occupancy(limits("cc1.3"), 17, 0, 256);
    EXPECT_EQ(o.registers_per_block, 4608u);
    EXPECT_EQ(o.blocks, 3u);
    EXPECT_DOUBLE_EQ(o.fraction, 0.75);
    // 2.0: 20 x 32 = 640 is a multiple of 64; 16384 / 640 = 25 warps a half, 50 in all: 48 warps fit.
    EXPECT_EQ(occupancy(limits("cc2.0"), 20, 0, 256).blocks, 6u);
    // 21 registers come in units of 128: 768; 21 warps a half, 42 in all: 5 blocks of 8.
    EXPECT_EQ(occupancy(limits("cc2.0"), 21, 0, 256).blocks, 5u);
    EXPECT_EQ(occupancy(limits("cc2.0"), 21, 0, 256).registers_per_block, 8u * 768);
    // 23 registers: 736, a unit of 64 again: 22 warps a half, 44 in all.
    EXPECT_EQ(occupancy(limits("cc2.0"), 23, 0, 256).blocks, 5u);
    EXPECT_EQ(occupancy(limits("cc2.0"), 23, 0, 256).registers_per_block, 8u * 768);
    // Shared memory in units of 512 bytes on 1.x: 16384 / 2560 = 6.
    EXPECT_EQ(occupancy(limits("cc1.3"), 8, 2049, 64).blocks_by_shared, 6u);
}

TEST(Capabilities, WavefrontsOfSixtyFour) {
    const DeviceModel m = limits("hd7970");
    EXPECT_EQ(m.limits.warp, 64u);
    // 64 vector registers: 256 / 64 = 4 wavefronts a vector unit, 16 in all.
    Occupancy o = occupancy(m, 64, 0, 64);
    EXPECT_EQ(o.warps, 16u);
    EXPECT_DOUBLE_EQ(o.fraction, 0.4);
    // 24 registers allow all ten; groups of four wavefronts fit ten times, of two sixteen times and no more.
    EXPECT_EQ(occupancy(m, 24, 0, 256).blocks, 10u);
    EXPECT_EQ(occupancy(m, 24, 0, 128).blocks, 16u);
    EXPECT_EQ(occupancy(m, 24, 0, 64).blocks, 40u);
}

TEST(Capabilities, ErrorsAreLocated) {
    const auto expect = [](const std::string& text, const std::string& what, unsigned line) {
        auto all = parse_capabilities(text, "c.toml");
        ASSERT_FALSE(all.ok()) << text;
        EXPECT_THAT(all.error().what, HasSubstr(what));
        EXPECT_EQ(all.error().where.line, line) << all.error().text();
    };
    expect("schema = 1\n[\"9.0\"]\nsource = \"x\"\nthreads = 3\n", "unknown key 'threads'", 4);
    expect("schema = 1\n[\"9.0\"]\nsource = \"x\"\nwarp = -3\n", "whole number", 4);
    expect("schema = 1\n[\"9.0\"]\nwarp = 32\n", "no source", 2);
    expect("schema = 1\n[\"9.0\"]\nsource = \"x\"\nwarp = 32\n", "has no 'threads_per_block'", 2);
    expect("schema = 1\n[\"9.0\"]\nlike = \"8.0\"\nsource = \"x\"\n", "further up", 3);
    expect("schema = 1\n[\"ninety\"]\nsource = \"x\"\n", "not a compute capability", 2);
    expect("schema = 2\n", "schema", 1);
    expect("[\n", "", 1);
    auto none = load_limits("cc4.2");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::usage);
    EXPECT_THAT(none.error().hint, HasSubstr("cc3.5"));
}

}  // namespace capabilities_test
}  // namespace warpwright::arch
