// What a simulation says on its way of how long it will take at least: never more than it does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plain_parameters.hpp"
#include "timing/prediction.hpp"

namespace warpwright::timing {
namespace least_course_test {

using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;

Op computing(std::uint32_t in, std::uint32_t out) {
    Op op;
    op.pipe = Pipe::fp32, op.in = {in}, op.out = {out};
    return op;
}

Op access(Effect effect, simt::Space space, std::int16_t number) {
    Op op;
    op.pipe = Pipe::memory, op.effect = effect, op.space = space, op.bytes = 4, op.access = number;
    if (effect == Effect::load) op.out = {static_cast<std::uint32_t>(number)};
    return op;
}

/// Warps that go round a block of code, the later blocks more often: it loads from shared memory over `passes` banks
/// and from global memory, and computes.
machine::LaunchTrace trace_of(unsigned blocks, unsigned warps, std::uint16_t passes, unsigned computations) {
    auto code = std::make_shared<machine::Code>();
    auto& body = code->blocks.emplace_back();
    body.ops = {access(Effect::load, simt::Space::shared, 0), access(Effect::load, simt::Space::global, 1)};
    for (std::uint32_t k = 0; k < computations; ++k) body.ops.push_back(computing(k, k + 1));
    body.accesses = 2, body.slots = static_cast<unsigned>(body.ops.size());
    code->values = computations + 2, code->instructions = body.slots;
    machine::LaunchTrace t;
    t.blocks = blocks, t.areas = {{0, 1u << 20}};
    t.sample.resize(blocks);
    for (unsigned b = 0; b < blocks; ++b) {
        auto& block = t.sample[b];
        block.index = b, block.warps.resize(warps);
        for (auto& w : block.warps)
            for (unsigned turn = 0; turn < 20 + b % 5; ++turn) {
                w.events.push_back({0, 32, 0, 0, 0});
                w.events.push_back({Event::kAccess, 32, 0, 0, passes});
                w.events.push_back({Event::kAccess, 32, static_cast<std::uint32_t>(block.sectors.size()), 1, 1});
                block.sectors.push_back(static_cast<std::uint32_t>(block.sectors.size() + 1000 * b));
            }
    }
    t.code = std::move(code);
    return t;
}

/// All that is said on the way holds in the end. Returns the largest part of the cycles that was foreseen before half
/// of the blocks had ended.
double foreseen(const machine::LaunchTrace& trace, const SmConditions& conditions) {
    std::vector<LeastCourse> said;
    const auto result = simulate(plain(), trace, conditions, nullptr, [&](const LeastCourse& least) {
        said.push_back(least);
        return false;
    });
    auto ended = result.ended;
    std::sort(ended.begin(), ended.end());
    double most = 0;
    EXPECT_GT(said.size(), 3u);
    for (const LeastCourse& least : said) {
        EXPECT_LE(least.cycles, result.cycles);
        EXPECT_EQ(least.ended.size(), ended.size());
        for (std::size_t k = 0; k < ended.size(); ++k) EXPECT_LE(least.ended[k], ended[k]) << k;
        for (std::size_t k = 0; k < least.known.size(); ++k) EXPECT_GE(least.known[k], ended[k]) << k;
        if (2 * least.known.size() < ended.size()) most = std::max(most, least.cycles / result.cycles);
    }
    EXPECT_EQ(simulate(plain(), trace, conditions).cycles, result.cycles);
    return most;
}

TEST(LeastCourse, nothing_takes_less_than_was_foreseen) {
    for (const unsigned resident : {1u, 3u, 8u})
        for (const unsigned computations : {1u, 40u})
            for (const std::uint16_t passes : {1, 8, 32}) {
                SCOPED_TRACE(testing::Message() << resident << " " << computations << " " << passes);
                SmConditions conditions;
                conditions.resident = resident;
                foreseen(trace_of(16, 4, passes, computations), conditions);
            }
}

TEST(LeastCourse, what_fills_a_unit_is_foreseen) {
    SmConditions conditions;
    conditions.resident = 8;
    EXPECT_GT(foreseen(trace_of(16, 8, 32, 1), conditions), 0.9) << "the load/store unit";
    EXPECT_GT(foreseen(trace_of(16, 8, 1, 60), conditions), 0.9) << "the schedulers";
}

TEST(LeastCourse, a_loop_around_a_compare_and_swap_tells_nothing) {
    auto trace = trace_of(16, 8, 32, 1);
    auto code = std::make_shared<machine::Code>(*trace.code);
    code->blocks[0].ops[0].effect = Effect::atomic, code->blocks[0].ops[0].repeats = true;
    trace.code = std::move(code);
    bool asked = false;
    simulate(plain(), trace, {}, nullptr, [&](const LeastCourse&) { return asked = true; });
    EXPECT_FALSE(asked);
}

TEST(LeastCourse, a_time_that_nobody_wants_to_know_is_not_predicted) {
    const auto model = arch::load_model("h200").value();
    const auto trace = trace_of(24, 8, 32, 1);
    LaunchShape shape;
    shape.threads = 256, shape.registers = 32;
    for (const unsigned blocks : {24u, 24u * 132, 40u * 132, 400u * 132}) {
        shape.blocks = blocks;
        const auto p = predict(trace, shape, model);
        ASSERT_TRUE(p);
        for (const double part : {0.5, 0.85, 1.0, 2.0}) {
            const auto q = predict(trace, shape, model, nullptr, part * p->seconds);
            ASSERT_TRUE(q);
            EXPECT_EQ(q->beyond, part < 1) << blocks << " " << part;
            EXPECT_EQ(q->seconds, q->beyond ? INFINITY : p->seconds);
        }
    }
}

}  // namespace least_course_test
}  // namespace warpwright::timing
