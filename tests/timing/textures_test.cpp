// Fetches of textures and accesses of surfaces, on traces made by hand.
#include <gtest/gtest.h>

#include "plain_parameters.hpp"
#include "timing/multiprocessor.hpp"

namespace warpwright::timing {
namespace textures_test {

using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;

/// Each warp fetches so many times, `passes` turns of the unit each, from the sectors of one line; `chained`: each by
/// the result of the one before.
struct Fetches {
    unsigned warps = 1, fetches = 1, passes = 8;
    bool by_element = true, chained = false;
    Effect effect = Effect::load;

    SimulationResult run(const Parameters& p) const {
        auto code = std::make_shared<machine::Code>();
        machine::Block b;
        for (std::uint32_t k = 0; k < fetches; ++k) {
            Op op;
            op.pipe = Pipe::texture, op.effect = effect;
            op.space = ptx::Space::global, op.bytes = 4;
            op.by_element = by_element;
            op.access = static_cast<std::int16_t>(k);
            if (chained) op.in = {k};
            if (effect == Effect::load) op.out = {k + 1};
            b.ops.push_back(op);
        }
        Op last;
        last.pipe = Pipe::alu;
        if (effect == Effect::load) last.in = {fetches};
        b.ops.push_back(last);
        b.slots = code->instructions = fetches + 1;
        code->values = fetches + 2;
        code->blocks.push_back(b);
        machine::LaunchTrace t;
        t.code = code;
        t.blocks = 1;
        t.areas = {{0, 1u << 20}};
        t.sample.resize(1);
        auto& block = t.sample[0];
        block.sectors = {0, 1, 2, 3};
        block.warps.resize(warps);
        for (auto& w : block.warps) {
            w.events.push_back({0, 32, 0, 0, 0});
            for (unsigned k = 0; k < fetches; ++k)
                w.events.push_back({Event::kAccess, 32, 0, 4, static_cast<std::uint16_t>(passes)});
        }
        return simulate(p, t, {1, 65536, 1, 1});
    }
    double cycles(const Parameters& p) const { return run(p).cycles; }
};

TEST(Textures, FetchesTakeTurnsAtTheUnits) {
    const auto p = plain();
    const double some = Fetches{16, 8}.cycles(p), more = Fetches{16, 24}.cycles(p);
    EXPECT_NEAR(more - some, 16 * 16 * 8, 16) << "eight turns of a cycle each";
    Fetches halves{16, 24, 4};
    EXPECT_LT(halves.cycles(p), 0.6 * more);
    Parameters many = p;
    many.texture_turn = 0.25;
    EXPECT_LT((Fetches{16, 24}.cycles(many)), 0.6 * more) << "16 units";
}

TEST(Textures, WhoeverWaitsForTheUnitsStandsAtTexThrottle) {
    const auto result = Fetches{16, 24}.run(plain());
    const auto of = [&](Stall s) { return result.warp_cycles[static_cast<std::size_t>(s)]; };
    EXPECT_GT(of(Stall::tex_throttle), of(Stall::lg_throttle));
    EXPECT_GT(of(Stall::tex_throttle), 16 * 100);
}

TEST(Textures, AChainTakesTheLatencyOfItsKind) {
    const auto p = plain();
    const auto step = [&](bool by_element) {
        Fetches few{1, 10, 1, by_element, true}, many{1, 110, 1, by_element, true};
        return (many.cycles(p) - few.cycles(p)) / 100;
    };
    EXPECT_NEAR(step(true), p.texture_latency, 3);
    EXPECT_NEAR(step(false), p.filter_latency, 3);
}

TEST(Textures, DevicesThatKeepNoLoadsInTheirFirstLevelKeepTextures) {
    Parameters p = plain();
    p.loads_in_l1 = false;
    p.texture_bytes = 48 * 1024;
    const auto result = Fetches{1, 20, 8, true, true}.run(p);
    EXPECT_EQ(result.traffic.l1_hits, 19 * 4);
    EXPECT_EQ(result.traffic.l2_reads, 4);
}

TEST(Textures, StoresToSurfacesGoToTheSecondLevel) {
    Fetches stores{1, 10};
    stores.effect = Effect::store;
    EXPECT_EQ(stores.run(plain()).traffic.l2_writes, 40);
}

}  // namespace textures_test
}  // namespace warpwright::timing
