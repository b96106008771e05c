// Blocks that run under a predicate: which of them are scheduled together, and in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "machine/view.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace regions_test {

using ::testing::ElementsAre;

Code view(const std::string& body) {
    static std::vector<std::unique_ptr<ptx::Module>> modules;
    auto parsed = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.shared .align 4 .b8 s[128];\n"
        "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
        "setp.lt.u32 %p1, %r2, %r1;\nsetp.gt.u32 %p2, %r2, 7;\n" +
            body + "\nret;\n}\n",
        "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    modules.push_back(std::make_unique<ptx::Module>(std::move(*parsed)));
    auto f = simt::lower(*modules.back(), 0);
    if (!f) throw std::runtime_error(f.error().text());
    Code code;
    append(code, *f);
    return code;
}

/// A word of global memory where the predicate holds, else 0, goes to shared memory.
std::string guarded_copy(int number, const std::string& more = "") {
    const std::string n = std::to_string(number);
    return "mov.f32 %f" + n + ", 0f00000000;\n@!%p" + n + " bra J" + n + ";\n" + more + "ld.global.f32 %f" + n +
           ", [%rd1+" + std::to_string(64 * number) + "];\nJ" + n + ":\nst.shared.f32 [s+" +
           std::to_string(4 * number) + "], %f" + n + ";\n";
}

/// Loads (L) and stores (S) in the order of issue.
std::string accesses(const Block& block) {
    std::string out;
    for (const auto& op : block.ops) out += op.effect == Effect::load ? "L" : op.effect == Effect::store ? "S" : "";
    return out;
}

TEST(Regions, LoadsOfGuardedBlocksComeBeforeWhatFollowsThem) {
    const auto code = view(guarded_copy(1) + guarded_copy(2));
    ASSERT_EQ(code.regions.size(), 1u);
    const auto& region = code.regions[0];
    EXPECT_EQ(accesses(region.body), "LLSS");
    std::vector<bool> guarded;
    for (const auto& part : region.parts) guarded.push_back(part.guarded);
    EXPECT_THAT(guarded, ElementsAre(false, true, false, true, false));
    EXPECT_EQ(code.blocks[region.parts[0].block].region, 0);
}

TEST(Regions, AStoreReadsWhatEitherPartLeft) {
    const auto code = view(guarded_copy(1));
    ASSERT_EQ(code.regions.size(), 1u);
    const auto& body = code.regions[0].body;
    const auto of = [&](Effect effect) {
        return std::find_if(body.ops.begin(), body.ops.end(), [&](const Op& op) { return op.effect == effect; });
    };
    const auto load = of(Effect::load), store = of(Effect::store);
    ASSERT_TRUE(load != body.ops.end() && store != body.ops.end());
    EXPECT_EQ(std::count(store->in.begin(), store->in.end(), load->out[0]), 1) << "not the value that joins both";
    EXPECT_EQ(std::count(load->uses.begin(), load->uses.end(), Use::guard), 1) << "the load waits for its predicate";
    EXPECT_EQ(load->part, 1);
    ASSERT_EQ(code.regions[0].joins.size(), 1u);
    EXPECT_EQ(code.regions[0].joins[0].in, load->out) << "what comes later waits for the load";
}

TEST(Regions, EmptyBlocksThatACompilerLeavesDoNotMatter) {
    const std::string with_empty =
        "mov.f32 %f1, 0f00000000;\n@!%p1 bra J;\nbra.uni U;\nU:\nld.global.f32 %f1, [%rd1];\nJ:\n"
        "st.shared.f32 [s], %f1;\n";
    const auto code = view(with_empty);
    unsigned branches = 0;
    for (const auto& block : code.blocks)
        for (const auto& op : block.ops) branches += op.pipe == Pipe::branch && op.effect == Effect::none;
    EXPECT_EQ(branches, 1u) << "the kernel's end";
    ASSERT_EQ(code.regions.size(), 1u);
    EXPECT_EQ(accesses(code.regions[0].body), "LS");
}

TEST(Regions, WhatIsTooLongForAPredicateIsBranchedAround) {
    std::string more;
    for (int k = 0; k < 8; ++k) more += "add.f32 %f5, %f5, %f6;\nst.global.f32 [%rd1], %f5;\n";
    const auto code = view(guarded_copy(1, more));
    for (const auto& region : code.regions)
        for (const auto& part : region.parts) EXPECT_FALSE(part.guarded);
}

TEST(Regions, NothingIsMovedAcrossABarrier) {
    const auto code = view(guarded_copy(1) + "bar.sync 0;\n" + guarded_copy(2));
    ASSERT_EQ(code.regions.size(), 1u);
    EXPECT_EQ(accesses(code.regions[0].body), "LSLS");
}

TEST(Regions, ABlockThatIsEnteredFromElsewhereEndsARegion) {
    const auto code = view("@%p2 bra J1;\n" + guarded_copy(1) + guarded_copy(2));
    ASSERT_EQ(code.regions.size(), 1u);
    EXPECT_EQ(code.regions[0].parts.size(), 3u) << "it begins where three ways meet, with the first store";
    EXPECT_EQ(accesses(code.regions[0].body), "LSS");
}

}  // namespace regions_test
}  // namespace warpwright::machine
