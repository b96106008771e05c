// The fast paths against the rules written out plainly, over random and structured accesses; every build of the inner
// loops that this CPU runs gives the same.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "counters/access.hpp"
#include "counters/kernels.hpp"

namespace property_test {

using namespace warpwright::counters;

/// RapidCheck reads this when the first property is checked; a run's own setting goes first.
const bool kMoreCases = setenv("RC_PARAMS", "max_success=2000", 0) == 0;

/// Element indices of many shapes: random in a window, strided, a permutation, pairs, repeats.
std::vector<std::uint32_t> elements(unsigned lanes) {
    const auto shape = *rc::gen::inRange(0, 6);
    const auto window = *rc::gen::element(2u, 7u, 32u, 64u, 300u, 5000u);
    const auto raw = *rc::gen::container<std::vector<std::uint32_t>>(lanes, rc::gen::inRange(0u, window));
    const auto step = *rc::gen::element(0u, 1u, 2u, 3u, 8u, 16u, 32u, 33u);
    std::vector<std::uint32_t> out(lanes);
    for (unsigned i = 0; i < lanes; ++i) {
        switch (shape) {
            case 0:
                out[i] = raw[i];
                break;
            case 1:
                out[i] = i * step + raw[0];
                break;
            case 2:
                out[i] = (i ^ (raw[0] % lanes)) + raw[1];
                break;
            case 3:
                out[i] = raw[i & ~1u];
                break;
            case 4:
                out[i] = raw[i & ~2u];
                break;
            default:
                out[i] = i % 5 == 0 ? raw[i] : raw[i & ~1u];
                break;
        }
    }
    return out;
}

std::uint64_t any_mask(unsigned lanes) {
    const std::uint64_t all = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
    const auto bits = *rc::gen::arbitrary<std::uint64_t>(), more = *rc::gen::arbitrary<std::uint64_t>();
    const auto kind = *rc::gen::inRange(0, 4);
    return (kind == 0 ? all : kind == 1 ? bits : kind == 2 ? bits | more : bits & more) & all;
}

SharedCost plain_shared(SharedOp op, const std::uint32_t* address, std::uint64_t mask, unsigned bytes) {
    const unsigned unit = bytes < 4 ? 4 : bytes, banks = 128 / unit;
    unsigned group = 32 * 4 / unit;
    const auto agree = [&](unsigned step) {
        for (unsigned i = 0; i < 32; ++i)
            if ((mask >> i & 1) && (mask >> (i ^ step) & 1) && address[i] / unit != address[i ^ step] / unit)
                return false;
        return true;
    };
    if (op == SharedOp::load && bytes > 4 && (agree(1) || agree(2))) group *= 2;
    SharedCost cost;
    for (unsigned first = 0; first < 32; first += group) {
        std::map<unsigned, std::multiset<unsigned>> by_bank;
        for (unsigned i = first; i < first + group; ++i)
            if (mask >> i & 1) by_bank[address[i] / unit % banks].insert(address[i] / unit);
        unsigned passes = 0;
        for (const auto& [bank, units] : by_bank) {
            const bool turns = op == SharedOp::atomic || op == SharedOp::atomic_cas;
            const std::size_t n = turns ? units.size() : std::set<unsigned>(units.begin(), units.end()).size();
            passes = std::max(passes, static_cast<unsigned>(n));
        }
        cost.wavefronts += passes * (op == SharedOp::atomic_cas ? 2 : 1);
        cost.bank_conflicts += passes > 0 ? passes - 1 : 0;
    }
    return cost;
}

unsigned plain_pieces(const std::vector<std::uint64_t>& address, std::uint64_t mask, unsigned bytes) {
    std::set<std::uint64_t> pieces;
    for (unsigned i = 0; i < address.size(); ++i)
        if (mask >> i & 1) pieces.insert(address[i] / bytes);
    return static_cast<unsigned>(pieces.size());
}

TEST(Property, shared_cost_is_the_plain_rule) {
    ASSERT_TRUE(kMoreCases);
    EXPECT_TRUE(rc::check([] {
        const auto op = *rc::gen::element(SharedOp::load, SharedOp::store, SharedOp::atomic, SharedOp::atomic_cas,
                                          SharedOp::atomic_count);
        const unsigned bytes = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
        const auto e = elements(32);
        const auto mask = any_mask(32);
        std::array<std::uint32_t, 32> address;
        for (unsigned i = 0; i < 32; ++i) address[i] = e[i] * bytes;
        RC_ASSERT(shared_cost(op, address.data(), mask, bytes, 32) == plain_shared(op, address.data(), mask, bytes));
        // An inactive lane's address, whatever it is, changes nothing.
        std::array<std::uint32_t, 32> wild = address;
        for (unsigned i = 0; i < 32; ++i)
            if (!(mask >> i & 1)) wild[i] = 0xFFFFFFF0u - i;
        RC_ASSERT(shared_cost(op, wild.data(), mask, bytes, 32) == plain_shared(op, address.data(), mask, bytes));
    }));
}

/// One bank has two words, of 16 lanes each, that differ in one bit alone, whichever it is.
TEST(Property, words_of_one_bank_are_told_apart_by_each_bit) {
    Kernels builds[kMostKernels];
    const unsigned n = runnable_kernels(builds);
    for (unsigned k = 0; k < n; ++k)
        for (unsigned bit = 5; bit < 16; ++bit)
            for (const std::uint32_t first : {0u, 7u, 31 * 32u, 700 * 32u + 3})
                for (const std::uint32_t mask : {~0u, 0xf0f00030u, 6u}) {
                    std::uint32_t address[32];
                    for (unsigned i = 0; i < 32; ++i) address[i] = (first ^ (i & 1) << bit) * 4;
                    const auto lanes = static_cast<unsigned>(std::popcount(mask));
                    SCOPED_TRACE("build " + std::to_string(k) + ", bit " + std::to_string(bit));
                    EXPECT_EQ(builds[k].passes_of_a_warp(address, mask, 4, false, false).passes, 2u);
                    EXPECT_EQ(builds[k].passes_of_a_warp(address, mask, 4, true, false).passes, lanes);
                }
}

TEST(Property, every_build_of_the_inner_loops_agrees) {
    Kernels builds[kMostKernels];
    const unsigned n = runnable_kernels(builds);
    ASSERT_GE(n, 1u);
    EXPECT_TRUE(rc::check([&] {
        const unsigned bytes = *rc::gen::element(4u, 8u, 16u);
        const bool repeats = *rc::gen::arbitrary<bool>(), join = *rc::gen::arbitrary<bool>();
        const auto e = elements(32);
        const auto mask = static_cast<std::uint32_t>(any_mask(32) | 1);
        const std::uint64_t window = *rc::gen::element(std::uint64_t{0}, std::uint64_t{0x7f0012000000});
        std::uint32_t address[32];
        std::uint64_t wide[32], in_window[32];
        for (unsigned i = 0; i < 32; ++i) address[i] = e[i] * bytes, wide[i] = std::uint64_t{e[i]} * bytes << 7;
        // Inactive lanes may be anywhere.
        for (unsigned i = 0; i < 32; ++i) in_window[i] = mask >> i & 1 ? window + address[i] : 77 * i;
        const auto first = builds[0].passes_of_a_warp(address, mask, bytes, repeats, join);
        for (unsigned k = 1; k < n; ++k) {
            const auto other = builds[k].passes_of_a_warp(address, mask, bytes, repeats, join);
            RC_ASSERT(first.passes == other.passes && first.groups == other.groups);
            if (Passes also; builds[k].passes_of_wide_addresses(in_window, window, mask, bytes, repeats, join, also))
                RC_ASSERT(first.passes == also.passes && first.groups == also.groups);
            // An active lane's address that is too large is never counted.
            in_window[0] = window + kMostSharedAddress + 5;
            Passes none;
            RC_ASSERT(!builds[k].passes_of_wide_addresses(in_window, window, mask, bytes, repeats, join, none));
            in_window[0] = window + address[0];
            RC_ASSERT(builds[0].distinct_in_full_warp(wide, 5) == builds[k].distinct_in_full_warp(wide, 5));
            RC_ASSERT(builds[0].distinct_words_by_eight(address, mask) ==
                      builds[k].distinct_words_by_eight(address, mask));
            RC_ASSERT(builds[0].distinct_in_part_of_warp(wide, mask, 5) ==
                      builds[k].distinct_in_part_of_warp(wide, mask, 5));
        }
    }));
}

TEST(Property, what_a_request_cost_is_remembered_for_the_same_distances_alone) {
    EXPECT_TRUE(rc::check([] {
        const auto op = *rc::gen::element(SharedOp::load, SharedOp::store, SharedOp::atomic, SharedOp::atomic_cas);
        const unsigned bytes = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
        const std::uint64_t window = *rc::gen::element(std::uint64_t{0}, std::uint64_t{0x7f0012000000});
        LastRequest last;
        auto e = elements(32);
        auto mask = any_mask(32);
        for (unsigned turn = 0; turn < 100; ++turn) {
            // The same lanes further on, sometimes by less than a word; one lane elsewhere; other lanes. After
            // many that were like none before, few are compared.
            const std::uint32_t shift = turn * 7 % 40 * bytes;
            if (turn % 4 == 2 || (turn > 10 && turn < 80)) e[turn % 32] += 1;
            if (turn % 16 == 3) mask = any_mask(32);
            std::array<std::uint32_t, 32> address;
            std::array<std::uint64_t, 32> wide;
            for (unsigned i = 0; i < 32; ++i) address[i] = e[i] * bytes + shift, wide[i] = window + address[i];
            RC_ASSERT(shared_cost(op, wide.data(), window, mask, bytes, 32, last) ==
                      plain_shared(op, address.data(), mask, bytes));
        }
    }));
}

TEST(Property, sectors_are_the_distinct_pieces) {
    EXPECT_TRUE(rc::check([] {
        const unsigned lanes = *rc::gen::element(32u, 64u);
        const unsigned bytes = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
        const auto e = elements(lanes);
        const auto mask = any_mask(lanes);
        const std::uint64_t base = *rc::gen::element(std::uint64_t{0}, std::uint64_t{1} << 33);
        // Spread so that the distances need 6, 16, 32 and more bits.
        const unsigned spread = *rc::gen::element(0u, 3u, 12u, 26u, 40u);
        std::vector<std::uint64_t> address(lanes);
        for (unsigned i = 0; i < lanes; ++i) address[i] = base + ((std::uint64_t{e[i]} * bytes) << spread);
        RC_ASSERT(global_sectors(address.data(), mask, bytes, lanes) == plain_pieces(address, mask, 32));
        RC_ASSERT(global_transactions(address.data(), mask, bytes, lanes, kCoalesceFermi).count ==
                  plain_pieces(address, mask, 128));
        std::map<std::uint64_t, std::map<std::uint64_t, unsigned>> turns;
        for (unsigned i = 0; i < lanes; ++i)
            if (mask >> i & 1) ++turns[address[i] / 32][address[i]];
        unsigned sectors = 0;
        for (const auto& [sector, at] : turns) {
            unsigned most = 0;
            for (const auto& [a, count] : at) most = std::max(most, count);
            sectors += most;
        }
        RC_ASSERT(global_atomic_sectors(address.data(), mask, bytes, lanes) == sectors);
    }));
}

TEST(Property, ideal_is_what_consecutive_lanes_take) {
    EXPECT_TRUE(rc::check([] {
        const unsigned bytes = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
        const auto mask = any_mask(32);
        std::uint32_t address[32];
        for (unsigned i = 0; i < 32; ++i) address[i] = i * bytes;
        RC_ASSERT(shared_ideal_wavefronts(mask, bytes, 32) ==
                  plain_shared(SharedOp::load, address, mask, bytes).wavefronts);
    }));
}

std::array<std::uint32_t, 64> strided(unsigned step) {
    std::array<std::uint32_t, 64> a;
    for (unsigned i = 0; i < 64; ++i) a[i] = i * step;
    return a;
}

TEST(OlderDevices, banks) {
    constexpr std::uint64_t kFull = 0xFFFFFFFFu;
    const auto words = strided(4), even = strided(8), column = strided(128), half_row = strided(64);
    // 16 banks, half warp by half warp: stride 1 takes 2 passes per warp, stride 2 four, stride 16 all 32.
    EXPECT_EQ(shared_wavefronts(SharedOp::load, words.data(), kFull, 4, 32, kBanksTesla), 2u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, even.data(), kFull, 4, 32, kBanksTesla), 4u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, half_row.data(), kFull, 4, 32, kBanksTesla), 32u);
    // One broadcast word a pass: two words of one bank, eight lanes each, take 2 passes, not 8.
    std::array<std::uint32_t, 64> two_words{};
    for (unsigned i = 0; i < 16; ++i) two_words[i] = i % 2 * 64;
    EXPECT_EQ(shared_wavefronts(SharedOp::load, two_words.data(), 0xFFFF, 4, 32, kBanksTesla), 2u);
    // Two words of different banks, both read by many lanes: only one can be the broadcast of a pass.
    for (unsigned i = 0; i < 16; ++i) two_words[i] = i % 2 * 4;
    EXPECT_EQ(shared_wavefronts(SharedOp::load, two_words.data(), 0xFFFF, 4, 32, kBanksTesla), 2u);

    EXPECT_EQ(shared_wavefronts(SharedOp::load, column.data(), kFull, 4, 32, kBanksFermi), 32u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, even.data(), kFull, 8, 32, kBanksFermi), 2u);
    // Compute capability 3.x: 8-byte banks serve a warp's 8-byte accesses at once; in 4-byte mode a stride of two words
    // stays free of conflicts, because words 32 apart share a row.
    EXPECT_EQ(shared_wavefronts(SharedOp::load, even.data(), kFull, 8, 32, kBanksKepler8), 1u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, even.data(), kFull, 4, 32, kBanksKepler4), 1u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, even.data(), kFull, 4, 32, kBanksMaxwell), 2u);
    // 64 lanes, 32 at a time.
    EXPECT_EQ(shared_wavefronts(SharedOp::load, words.data(), ~std::uint64_t{0}, 4, 64, kBanksGcn), 2u);
    EXPECT_EQ(shared_wavefronts(SharedOp::load, column.data(), ~std::uint64_t{0}, 4, 64, kBanksGcn), 64u);
}

TEST(OlderDevices, coalescing) {
    constexpr std::uint64_t kFull = 0xFFFFFFFFu;
    std::vector<std::uint64_t> a(32);
    const auto take = [&](std::uint64_t first, unsigned step, unsigned bytes, const CoalescingRule& rule) {
        for (unsigned i = 0; i < 32; ++i) a[i] = first + i * step;
        return global_transactions(a.data(), kFull, bytes, 32, rule);
    };
    // cc 1.0: in order and aligned, one transaction of 64 bytes a half warp; shifted by a word, one of 32 a lane.
    EXPECT_EQ(take(0, 4, 4, kCoalesceTesla10), (Transactions{2, 128}));
    EXPECT_EQ(take(4, 4, 4, kCoalesceTesla10), (Transactions{32, 1024}));
    EXPECT_EQ(take(0, 16, 16, kCoalesceTesla10), (Transactions{4, 512}));
    // cc 1.2: shifted, a half warp takes one 128-byte segment, or two pieces where it straddles one.
    EXPECT_EQ(take(0, 4, 4, kCoalesceTesla12), (Transactions{2, 128}));
    EXPECT_EQ(take(4, 4, 4, kCoalesceTesla12), (Transactions{3, 128 + 64 + 32}));
    // cc 2.x: lines of 128 bytes.
    EXPECT_EQ(take(0, 4, 4, kCoalesceFermi), (Transactions{1, 128}));
    EXPECT_EQ(take(4, 4, 4, kCoalesceFermi), (Transactions{2, 256}));
    EXPECT_EQ(take(0, 128, 4, kCoalesceFermi), (Transactions{32, 4096}));
    EXPECT_EQ(take(4, 4, 4, kCoalesceSectors), (Transactions{5, 160}));
}

}  // namespace property_test
