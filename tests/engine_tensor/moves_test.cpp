// Placement: fragment loads, ldmatrix, stmatrix and movmatrix against an H200; and what decoding refuses.
#include <gtest/gtest.h>

#include "engine/tensor/tensor.hpp"
#include "golden.hpp"
#include "probes.hpp"

namespace moves_test {

using namespace warpwright;

TEST(WmmaMap, AsRecorded) {
    unsigned compared = 0;
    for (const probes::MapForm& f : probes::map_forms()) {
        const bool own = f.operand == 'c' && f.type.name == "f32";
        const std::string regs =
            f.type.name == "f64" ? golden::list("d", f.words / 2) : golden::list(own ? "f" : "r", f.words);
        const auto i = golden::instruction(f.name + " " + regs + ", [%addr], 64");
        ASSERT_TRUE(i.ok()) << f.name << ": " << i.error().text();
        const auto map = engine::decode_wmma_memory(*i);
        ASSERT_TRUE(map.ok()) << map.error().text();
        const auto& want = golden::file().maps.at(f.name);
        EXPECT_EQ(map->registers * (f.type.bits == 64 ? 2 : 1), f.words) << f.name;
        ASSERT_EQ(want.size(), map->registers * map->per_register * 32) << f.name;
        for (unsigned reg = 0; reg < map->registers; ++reg)
            for (unsigned index = 0; index < map->per_register; ++index)
                for (unsigned lane = 0; lane < 32; ++lane) {
                    const engine::Element e = map->element(lane, reg, index);
                    ASSERT_EQ(e.row * f.cols + e.col, want[(reg * map->per_register + index) * 32 + lane])
                        << f.name << " lane " << lane << " register " << reg;
                }
        ++compared;
    }
    EXPECT_EQ(compared, 88u);
}

TEST(WmmaMap, ContiguousWhereALaneHoldsNeighbours) {
    const auto contiguous = [](const std::string& text) {
        const auto i = golden::instruction(text);
        EXPECT_TRUE(i.ok()) << i.error().text();
        const auto map = engine::decode_wmma_memory(*i);
        EXPECT_TRUE(map.ok()) << map.error().text();
        return map->register_contiguous();
    };
    const std::string eight = golden::list("r", 8);
    EXPECT_TRUE(contiguous("wmma.load.a.sync.aligned.row.m16n16k16.f16 " + eight + ", [%addr], 16"));
    EXPECT_FALSE(contiguous("wmma.load.a.sync.aligned.col.m16n16k16.f16 " + eight + ", [%addr], 16"));
    EXPECT_TRUE(contiguous("wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 " + eight + ", [%addr], 16"));
}

TEST(MatrixMove, AsRecorded) {
    for (const probes::MoveForm& f : probes::move_forms()) {
        const auto input = probes::move_input(f);
        std::vector<std::uint32_t> out(f.store ? 128 : 32 * f.registers);
        if (!f.memory) {
            engine::run_movmatrix(input.data(), out.data());
            EXPECT_EQ(out, golden::file().moves.at(f.ptx)) << f.ptx;
            continue;
        }
        const std::string regs = golden::list("r", f.registers);
        const auto i = golden::instruction(f.store ? f.ptx + " [%addr], " + regs : f.ptx + " " + regs + ", [%addr]");
        ASSERT_TRUE(i.ok()) << f.ptx << ": " << i.error().text();
        const auto move = engine::decode_matrix_move(*i);
        ASSERT_TRUE(move.ok()) << move.error().text();
        EXPECT_EQ(move->registers, f.registers);
        EXPECT_EQ(move->address_lanes(), 8 * f.registers);
        std::vector<std::uint32_t> memory = input;
        for (unsigned reg = 0; reg < move->registers; ++reg)
            for (unsigned lane = 0; lane < 32; ++lane) {
                const auto source = move->source(lane, reg);
                ASSERT_EQ(source.pieces * source.piece_bytes, 4u);
                for (unsigned p = 0; p < source.pieces; ++p) {
                    ASSERT_LT(source.source_lane[p], move->address_lanes());
                    char* at = reinterpret_cast<char*>(memory.data()) + 16 * probes::move_row(source.source_lane[p]) +
                               source.byte[p];
                    if (f.store)
                        std::memcpy(at, reinterpret_cast<const char*>(&input[reg * 32 + lane]) + p * source.piece_bytes,
                                    source.piece_bytes);
                    else
                        std::memcpy(reinterpret_cast<char*>(&out[reg * 32 + lane]) + p * source.piece_bytes, at,
                                    source.piece_bytes);
                }
            }
        EXPECT_EQ(f.store ? memory : out, golden::file().moves.at(f.ptx)) << f.ptx;
    }
}

TEST(DecodeMma, RefusesWhatTheIsaLacks) {
    const auto refused = [](const std::string& text, const std::string& word) {
        const auto i = golden::instruction(text);
        if (!i.ok()) return ::testing::AssertionFailure() << "does not parse: " << i.error().text();
        const auto form = engine::decode_mma(*i);
        if (form.ok()) return ::testing::AssertionFailure() << "taken: " << text;
        if (form.error().text().find(word) == std::string::npos || form.error().where.line == 0)
            return ::testing::AssertionFailure() << "message: " << form.error().text();
        return ::testing::AssertionSuccess();
    };
    const std::string r1 = "{%r0}", r2 = "{%r0, %r1}", r4 = "{%r0, %r1, %r2, %r3}", f4 = "{%f0, %f1, %f2, %f3}",
                      r8 = golden::list("r", 8), f8 = golden::list("f", 8);
    EXPECT_TRUE(refused("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 " + f4 + ", " + r4 + ", " + r2 + ", " + f4,
                        "no such shape for .f16"));
    EXPECT_TRUE(refused("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 " + f4 + ", " + r4 + ", " + r2 + ", " + f4,
                        "layouts"));
    EXPECT_TRUE(refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 " + f4 + ", " + r4 + ", " + r2 + ", " + f4,
                        "do not go together"));
    EXPECT_TRUE(refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 " + f4 + ", " + r4 + ", " + r2 + ", " + r2,
                        "accumulator"));
    EXPECT_TRUE(refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + f4 + ", " + r2 + ", " + r2 + ", " + f4,
                        "number of registers"));
    EXPECT_TRUE(refused(
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.bf16.bf16.f32 " + f4 + ", " + r4 + ", " + r2 + ", " + f4,
        "satfinite"));
    EXPECT_TRUE(
        refused("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 " + r2 + ", " + r1 + ", " + r1 + ", " + r2, "popc"));
    EXPECT_TRUE(refused(
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " + f4 + ", " + r4 + ", " + r4 + ", " + f4 + ", %e, 2",
        "selector"));
    EXPECT_TRUE(
        refused("wmma.mma.sync.aligned.row.col.m16n16k16.f32.tf32.tf32.f32 " + f8 + ", " + r8 + ", " + r8 + ", " + f8,
                "no such shape for .tf32"));
}

TEST(DecodeMatrixMove, RefusesBlackwellForms) {
    const auto i = golden::instruction("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%addr]");
    ASSERT_TRUE(i.ok()) << i.error().text();
    const auto move = engine::decode_matrix_move(*i);
    ASSERT_FALSE(move.ok());
    EXPECT_NE(move.error().text().find("ldmatrix"), std::string::npos);
}

}  // namespace moves_test
