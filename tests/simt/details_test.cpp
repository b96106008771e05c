// What is decoded of a PTX instruction once, for everybody behind the lowering.
#include <fstream>

#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/suffix.hpp"
#include "simt/details.hpp"

namespace warpwright::simt {
namespace details_test {

Access access(const char* spelling) {
    const auto read = decode(spelling);
    EXPECT_TRUE(read) << spelling;
    return read ? read->access : Access{};
}

TEST(Access, StrongOnesAreThoseOfTheMemoryModel) {
    for (const char* strong :
         {"ld.relaxed.gpu.global.f32", "ld.acquire.sys.u32", "st.release.cta.u32", "st.relaxed.cluster.shared.u32",
          "ld.volatile.global.u32", "st.volatile.shared.u32", "ld.mmio.relaxed.sys.global.u32", "atom.global.add.u32",
          "red.global.add.u32", "atom.acq_rel.gpu.global.cas.b32", "fence.sc.cta"})
        EXPECT_TRUE(access(strong).strong()) << strong;
    for (const char* weak : {"ld.global.f32", "ld.weak.global.f32", "st.global.cs.f32", "ld.global.nc.f32",
                             "ld.global.ca.v4.f32", "ld.global.cv.u32"})
        EXPECT_FALSE(access(weak).strong()) << weak;
}

TEST(Access, ALoadLooksAgainWhereItIsStrongOrAsksForIt) {
    EXPECT_TRUE(access("ld.global.cv.u32").looks_again());
    EXPECT_TRUE(access("ld.relaxed.gpu.global.u32").looks_again());
    EXPECT_FALSE(access("ld.global.cg.u32").looks_again());
}

TEST(Access, OrderScopeCacheAndWidth) {
    const auto a = access("ld.acquire.cluster.global.v4.f32");
    EXPECT_EQ(a.order, MemoryOrder::acquire);
    EXPECT_EQ(a.scope, Scope::cluster);
    EXPECT_EQ(a.vector, 4);
    EXPECT_TRUE(a.acquires());
    EXPECT_FALSE(a.releases());
    EXPECT_EQ(access("ld.global.cs.v2.f32").cache, CacheOperator::streaming);
    EXPECT_EQ(access("membar.gl").scope, Scope::device);
}

TEST(Details, RoundingFlushingAndSaturation) {
    EXPECT_EQ(decode("add.rz.ftz.sat.f32")->arithmetic, (Arithmetic{Rounding::zero, true, true}));
    EXPECT_EQ(decode("cvt.rpi.f32.f32")->arithmetic.rounding, Rounding::up);
    EXPECT_EQ(decode("cvt.rna.tf32.f32")->arithmetic.rounding, Rounding::nearest_away);
    EXPECT_EQ(decode("mul.f32")->arithmetic, Arithmetic{});
}

TEST(Details, TheShapeOfAProduct) {
    EXPECT_EQ(decode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")->extent, (Extent{16, 8, 16}));
    EXPECT_EQ(decode("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16")->extent, (Extent{64, 256, 16}));
    EXPECT_EQ(decode("ld.global.f32")->extent, Extent{});
}

TEST(Details, NoSpellingIsNoInstruction) {
    for (const char* text : {"", ".", "ld.", "ld.globl.f32", "v1", "undef", "b0", "in", "as", "mad.lo.s33"})
        EXPECT_FALSE(decode(text)) << text;
}

TEST(Details, SpellingsAreReadBack) {
    std::ifstream file(std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/ptx/spellings.txt");
    unsigned read = 0;
    for (std::string text; file >> text; ++read) {
        const auto details = decode(text);
        ASSERT_TRUE(details) << text;
        EXPECT_EQ(details->spelling(), text);
    }
    EXPECT_GT(read, 50u);
}

/// The types of values stand in the letters of opcodes.inc alone.
TEST(Details, TypesOfOperands) {
    const auto type = [](const char* spelling, unsigned operand) { return operand_type(*decode(spelling), operand); };
    EXPECT_EQ(bits(type("mul.wide.s32", 0)), 64u);
    EXPECT_EQ(type("mul.wide.s32", 1), Type::s32);
    EXPECT_EQ(bits(type("mad.wide.u16", 3)), 32u);
    EXPECT_EQ(type("mad.lo.s64", 3), Type::s64);
    EXPECT_EQ(type("setp.lt.f32", 0), Type::pred);
    EXPECT_EQ(type("setp.lt.and.f32", 3), Type::pred);
    EXPECT_EQ(type("set.gt.u32.f16", 0), Type::u32);
    EXPECT_EQ(type("set.gt.u32.f16", 1), Type::f16);
    EXPECT_EQ(type("slct.u64.f32", 3), Type::f32);
    EXPECT_EQ(type("cvt.rn.f32.s64", 0), Type::f32);
    EXPECT_EQ(type("cvt.rn.f32.s64", 1), Type::s64);
    EXPECT_EQ(bits(type("cvt.rs.f16x2.f32", 3)), 32u);
    EXPECT_EQ(type("shl.b64", 1), Type::b64);
    EXPECT_EQ(bits(type("shl.b64", 2)), 32u);
    EXPECT_EQ(type("fma.rn.f32.f16", 1), Type::f16);
    EXPECT_EQ(type("fma.rn.f32.f16", 3), Type::f32);
    EXPECT_EQ(bits(type("vadd4.u32.u32.u32", 2)), 32u);
    EXPECT_EQ(bits(type("cvt.pack.sat.u8.s32.b32", 0)), 32u);
}

TEST(Decoded, ALoadWithoutALineHasThatOfWhatUsesIt) {
    const auto module = ptx::parse(
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<2>;\n"
        ".loc 1 0 0\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1];\nadd.s32 %r3, %r2, 1;\n"
        ".loc 1 11 3\nadd.s32 %r4, %r1, 1;\n.loc 1 12 3\nst.global.u32 [%rd1], %r3;\nret;\n}\n.file 1 \"k.cu\"\n",
        "k.cu");
    ASSERT_TRUE(module) << module.error().text();
    Decoded decoded;
    const auto& all = decoded.of(module->functions[0]);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all[0].source.line, 11u);
    EXPECT_EQ(all[1].source.line, 0u);  // what uses it has none itself
}

TEST(Decoded, ALoadedAddressHasTheLineOfWhatItsPlaceIsReadBy) {
    const auto module = ptx::parse(
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n"
        ".loc 1 0 0\nld.global.u64 %rd2, [%rd1];\n.loc 1 11 3\nld.global.u32 %r1, [%rd2+4];\n"
        ".loc 1 12 3\nst.global.u64 [%rd1], %rd2;\nret;\n}\n.file 1 \"k.cu\"\n",
        "k.cu");
    ASSERT_TRUE(module) << module.error().text();
    Decoded decoded;
    const auto& all = decoded.of(module->functions[0]);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all[0].source.line, 11u);
}

}  // namespace details_test
}  // namespace warpwright::simt
