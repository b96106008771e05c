// Machine instructions by class: pipes that are one class's, and those where the instruction of PTX decides.
#include "machine/mix.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace warpwright::machine {
namespace mix_test {

unsigned slots(const Op& op, Mix mix) { return mix_of(op)[static_cast<unsigned>(mix)]; }

Op of(Pipe pipe, const simt::Details* ptx = nullptr) {
    Op op;
    op.pipe = pipe;
    op.ptx = ptx;
    return op;
}

TEST(Mix, APipeOfOneClassDecides) {
    EXPECT_EQ(slots(of(Pipe::fp32), Mix::fp32), 1u);
    EXPECT_EQ(slots(of(Pipe::multiply), Mix::integer), 1u);
    EXPECT_EQ(slots(of(Pipe::memory), Mix::memory), 1u);
    EXPECT_EQ(slots(of(Pipe::branch), Mix::control), 1u);
    Op barrier = of(Pipe::memory);
    barrier.effect = Effect::barrier;
    EXPECT_EQ(slots(barrier, Mix::control), 1u);
}

TEST(Mix, TheInstructionDecidesWhereAPipeHasSeveralClasses) {
    simt::Details add, shuffle;
    add.op = simt::Op::add, add.types = {simt::Type::s32};
    shuffle.op = simt::Op::shfl, shuffle.types = {simt::Type::b32};
    EXPECT_EQ(slots(of(Pipe::alu, &add), Mix::integer), 1u);
    EXPECT_EQ(slots(of(Pipe::exchange, &shuffle), Mix::warp), 1u);
}

TEST(Mix, ADivisionOfWholeNumbersConvertsAndOneOfFloatsDoesNot) {
    simt::Details whole, floats;
    whole.op = floats.op = simt::Op::div;
    whole.types = {simt::Type::s32}, floats.types = {simt::Type::f32};
    Op op = of(Pipe::alu, &whole);
    op.issues = 20, op.special = 3;
    EXPECT_EQ(slots(op, Mix::special), 1u);
    EXPECT_EQ(slots(op, Mix::convert), 2u);
    EXPECT_EQ(slots(op, Mix::integer), 17u);
    op.ptx = &floats, op.special = 1, op.issues = 9;
    EXPECT_EQ(slots(op, Mix::special), 1u);
    EXPECT_EQ(slots(op, Mix::fp32), 8u);
    const auto all = mix_of(op);
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0u), op.issues);
}

}  // namespace mix_test
}  // namespace warpwright::machine
