// What goes on while warps wait: mbarriers, bulk copies, groups of copies, products of warpgroups; on traces made by
// hand.
#include <gtest/gtest.h>

#include "plain_parameters.hpp"
#include "timing/multiprocessor.hpp"

namespace warpwright::timing {
namespace asynchronous_test {

using machine::AsyncStep;
using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;
using Kind = AsyncStep::Kind;

struct Step {
    Kind kind;
    std::uint32_t barrier = 0, value = 0, sectors = 0;
};

Op with_effect(Effect effect, Pipe pipe = Pipe::none) {
    Op op;
    op.pipe = pipe, op.effect = effect;
    return op;
}

/// A block whose warps each run their own list of operations.
class TraceBuilder {
public:
    TraceBuilder() {
        trace_.blocks = 1;
        trace_.sample.resize(1);
        trace_.areas = {{0, 1u << 30}};
    }
    void warp(std::vector<Op> ops, const std::vector<std::vector<Step>>& steps) {
        machine::Block b;
        ops.push_back(with_effect(Effect::none, Pipe::branch));  // the exit
        std::int16_t accesses = 0;
        for (Op& op : ops) {
            b.slots += op.issues;
            if (op.effect == Effect::async || op.waits_phase) op.access = accesses++;
        }
        b.ops = std::move(ops);
        auto& block = trace_.sample[0];
        block.warps.emplace_back();
        auto& events = block.warps.back().events;
        events.push_back({static_cast<std::uint32_t>(code_.blocks.size()), 32, 0, 0, 0});
        for (const auto& of_event : steps) {
            events.push_back(
                {Event::kAccess | Event::kAsync, 1, static_cast<std::uint32_t>(block.sectors.size()), 0, 0});
            block.sectors.push_back(static_cast<std::uint32_t>(of_event.size()));
            for (const Step& s : of_event) {
                for (const auto word : {static_cast<std::uint32_t>(s.kind), s.barrier, s.value, s.sectors})
                    block.sectors.push_back(word);
                for (std::uint32_t k = 0; k < s.sectors; ++k) block.sectors.push_back(next_++);
            }
        }
        code_.instructions += b.slots;
        code_.blocks.push_back(std::move(b));
    }
    double cycles(const Parameters& p = plain()) {
        trace_.code = std::make_shared<machine::Code>(code_);
        return simulate(p, trace_, {}).cycles;
    }

private:
    machine::Code code_;
    machine::LaunchTrace trace_;
    std::uint32_t next_ = 0;
};

Op async() { return with_effect(Effect::async, Pipe::exchange); }
Op wait() {
    Op op = with_effect(Effect::barrier, Pipe::branch);
    op.waits_phase = true;
    return op;
}
/// Instructions that a warp issues one per cycle.
std::vector<Op> instructions(unsigned number) { return std::vector<Op>(number, with_effect(Effect::none, Pipe::alu)); }

TEST(Asynchronous, WhoeverWaitsForABulkCopyWaitsForItsBytes) {
    const auto cycles = [](std::uint32_t expected) {
        TraceBuilder c;
        c.warp({async(), async(), async(), wait()}, {{{Kind::init, 64, 1}},
                                                     {{Kind::expect, 64, expected}, {Kind::arrive, 64, 1}},
                                                     {{Kind::load, 64, 128, 4}},
                                                     {{Kind::wait, 64, 0}}});
        return c.cycles();
    };
    const auto p = plain();
    EXPECT_GT(cycles(128), p.memory_latency + p.bulk_start);
    EXPECT_LT(cycles(0), 200) << "the phase ends without them";
}

TEST(Asynchronous, APhaseEndsWithItsLastArrival) {
    const auto cycles = [](std::uint32_t arrivals) {
        TraceBuilder c;
        c.warp({async(), async(), wait()}, {{{Kind::init, 0, 2}}, {{Kind::arrive, 0, arrivals}}, {{Kind::wait, 0, 0}}});
        auto late = instructions(1000);
        late.push_back(async());
        c.warp(late, {{{Kind::arrive, 0, 1}}});
        return c.cycles();
    };
    TraceBuilder early;
    early.warp({async(), async(), wait()}, {{{Kind::init, 0, 2}}, {{Kind::arrive, 0, 2}}, {{Kind::wait, 0, 0}}});
    EXPECT_GT(cycles(1), 1000 + plain().phase);
    EXPECT_LT(early.cycles(), 200);
}

TEST(Asynchronous, OfAPhaseThatIsOverNobodyWaits) {
    TraceBuilder c;
    c.warp({async(), wait()}, {{{Kind::init, 0, 1}}, {{Kind::wait, 0, 1}}});  // the phase before the first one
    EXPECT_LT(c.cycles(), 200);
}

TEST(Asynchronous, AWaitThatNobodyEndsDoesNotHoldTheSimulation) {
    TraceBuilder c;
    c.warp({async(), wait()}, {{{Kind::init, 0, 1}}, {{Kind::wait, 0, 0}}});
    EXPECT_LT(c.cycles(), 200);
}

TEST(Asynchronous, AWaitForGroupsLeavesTheLastOnesUnderWay) {
    // Two groups of products, the second of which is long.
    const auto cycles = [](unsigned pending) {
        Op first = with_effect(Effect::product, Pipe::tensor), second = first;
        first.flops = 10, second.flops = 5000;
        Op until = with_effect(Effect::product_wait);
        until.pending = static_cast<std::uint16_t>(pending);
        TraceBuilder c;
        c.warp({first, with_effect(Effect::product_group), second, with_effect(Effect::product_group), until}, {});
        Parameters p = plain();
        p.warpgroup_product.fill(1);
        return c.cycles(p);
    };
    EXPECT_LT(cycles(1), 200);
    EXPECT_GT(cycles(0), 5000);
}

TEST(Asynchronous, ProductsOfWarpgroupsReadSharedMemory) {
    const auto cycles = [](double bytes) {
        std::vector<Op> ops(10, with_effect(Effect::product, Pipe::tensor));
        for (Op& op : ops) op.flops = 64, op.operand_bytes = bytes;
        ops.push_back(with_effect(Effect::product_wait));
        TraceBuilder c;
        c.warp(ops, {});
        Parameters p = plain();
        p.warpgroup_product.fill(1);
        p.l1_bytes = 128;
        return c.cycles(p);
    };
    EXPECT_NEAR(cycles(0), 10 * 64, 20);
    EXPECT_NEAR(cycles(128 * 100), 10 * 100, 20);
}

}  // namespace asynchronous_test
}  // namespace warpwright::timing
