#include "counters/rules.hpp"

#include <random>

#include <gtest/gtest.h>

#include "counters/schedule.hpp"

namespace warpwright::counters {
namespace rules_test {

arch::DeviceModel limits(const std::string& name) {
    auto m = arch::load_limits(name);
    EXPECT_TRUE(m.ok()) << (m ? "" : m.error().text());
    return m ? *m : arch::DeviceModel{};
}

TEST(Rules, EachGenerationHasItsOwn) {
    EXPECT_EQ(coalescing_rule(limits("cc1.1")), kCoalesceTesla10);
    EXPECT_EQ(coalescing_rule(limits("cc1.3")), kCoalesceTesla12);
    EXPECT_EQ(coalescing_rule(limits("gtx580")), kCoalesceFermi);
    EXPECT_EQ(coalescing_rule(limits("k40c")), kCoalesceSectors);
    EXPECT_EQ(coalescing_rule(limits("cc12.0")), kCoalesceSectors);
    EXPECT_EQ(coalescing_rule(limits("hd7970")), kCoalesceGcn);
    EXPECT_EQ(bank_rule(limits("cc1.0")), kBanksTesla);
    EXPECT_EQ(bank_rule(limits("c2050")), kBanksFermi);
    EXPECT_EQ(bank_rule(limits("gt640")), kBanksKepler4);
    EXPECT_EQ(bank_rule(limits("gt640"), true), kBanksKepler8);
    EXPECT_EQ(bank_rule(limits("b200"), true), kBanksMaxwell);
    EXPECT_EQ(bank_rule(limits("hd7970")), kBanksGcn);
    EXPECT_EQ(segment_bytes(kCoalesceFermi), 128u);
    EXPECT_EQ(arch::transaction_bytes(limits("gtx580").coalescing), 128u);
    EXPECT_EQ(arch::transaction_bytes(limits("h200").coalescing), 32u);
    EXPECT_EQ(segment_bytes(kCoalesceTesla10), 0u);
}

// The figures of the programming guides' pictures: 32 lanes, 4 bytes each, from address 128 + 4 * offset on.
TEST(Rules, MisalignedByOneElement) {
    std::uint64_t address[32];
    const auto cost = [&](const char* name, unsigned offset) {
        for (unsigned i = 0; i < 32; ++i) address[i] = 128 + 4 * (i + offset);
        return global_transactions(address, 0xFFFFFFFF, 4, 32, coalescing_rule(limits(name)));
    };
    EXPECT_EQ(cost("cc1.0", 0), (Transactions{2, 128}));
    EXPECT_EQ(cost("cc1.0", 1), (Transactions{32, 32 * 32}));  // one each
    EXPECT_EQ(cost("cc1.3", 0), (Transactions{2, 128}));
    EXPECT_EQ(cost("cc1.3", 1), (Transactions{3, 128 + 64 + 32}));  // one of 128, and 64 and 32 for the second half
    EXPECT_EQ(cost("cc2.0", 0), (Transactions{1, 128}));
    EXPECT_EQ(cost("cc2.0", 1), (Transactions{2, 256}));
    EXPECT_EQ(cost("cc3.5", 1), (Transactions{5, 160}));
    EXPECT_EQ(cost("cc9.0", 8), (Transactions{4, 128}));
}

// Two words apart: two ways on 32 banks; none in Kepler's 4-byte mode, where words 32 apart share a row.
TEST(Rules, StrideTwoByGeneration) {
    std::uint32_t address[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = 8 * i;
    const auto passes = [&](const char* name, bool wide = false) {
        return shared_wavefronts(SharedOp::load, address, 0xFFFFFFFF, 4, 32, bank_rule(limits(name), wide));
    };
    EXPECT_EQ(passes("cc1.3"), 4u);  // two half warps of two ways
    EXPECT_EQ(passes("cc2.0"), 2u);
    EXPECT_EQ(passes("cc3.5"), 1u);
    EXPECT_EQ(passes("cc3.5", true), 1u);
    EXPECT_EQ(passes("cc8.0"), 2u);
}

// The picture of a request has as many passes as are counted for it, and no pass asks a bank for two words.
TEST(Schedule, HasThePassesThatAreCounted) {
    std::mt19937 random(7);
    const BankRule rules[] = {kBanksMaxwell, kBanksTesla, kBanksFermi, kBanksKepler4, kBanksKepler8, kBanksGcn};
    for (unsigned round = 0; round < 6000; ++round) {
        const BankRule& rule = rules[round % 6];
        const unsigned lanes = rule == kBanksGcn && round % 2 ? 64 : 32;
        const unsigned bytes = 1u << random() % 5;
        const SharedOp op = random() % 3 ? (random() % 2 ? SharedOp::load : SharedOp::store) : SharedOp::atomic;
        const unsigned range = 1u << random() % 10;
        std::uint32_t address[64];
        for (std::uint32_t& a : address) a = random() % range * bytes;
        const std::uint64_t mask = (std::uint64_t{random()} << 32 | random()) | (round % 3 ? ~std::uint64_t{0} : 0);
        const SharedCost cost = shared_cost(op, address, mask, bytes, lanes, rule);
        const BankSchedule s = shared_schedule(op, address, mask, bytes, lanes, rule);
        ASSERT_EQ(s.passes, cost.wavefronts) << "round " << round;
        ASSERT_EQ(s.passes - s.groups, cost.bank_conflicts) << "round " << round;
        for (unsigned i = 0; i < lanes; ++i)
            for (unsigned j = 0; j < i; ++j) {
                const auto &a = s.lanes[i], &b = s.lanes[j];
                if (a.active && b.active && a.pass == b.pass && a.bank == b.bank) {
                    ASSERT_EQ(a.word, b.word);
                }
            }
    }
}

TEST(Schedule, HasThePiecesThatAreCounted) {
    std::mt19937 random(8);
    const CoalescingRule rules[] = {kCoalesceSectors, kCoalesceTesla10, kCoalesceTesla12, kCoalesceFermi, kCoalesceGcn};
    for (unsigned round = 0; round < 5000; ++round) {
        const CoalescingRule& rule = rules[round % 5];
        const unsigned lanes = round % 3 ? 32 : 64, bytes = 1u << random() % 5, range = 1u << random() % 12;
        const unsigned stride = random() % 4, start = random() % 64;
        std::uint64_t address[64];
        for (unsigned i = 0; i < 64; ++i) address[i] = 4096 + (stride ? i * stride + start : random() % range) * bytes;
        const std::uint64_t mask = (std::uint64_t{random()} << 32 | random()) | (round % 2 ? ~std::uint64_t{0} : 0);
        const Transactions counted = global_transactions(address, mask, bytes, lanes, rule);
        Transactions drawn;
        std::uint64_t covered = 0;
        for (const Piece& p : global_pieces(address, mask, bytes, lanes, rule)) {
            ++drawn.count;
            drawn.bytes += p.bytes;
            EXPECT_EQ(p.address % 32, 0u);
            for (unsigned i = 0; i < lanes; ++i)
                if (address[i] >= p.address && address[i] + bytes <= p.address + p.bytes)
                    covered |= std::uint64_t{1} << i;
        }
        ASSERT_EQ(drawn, counted) << "round " << round;
        const std::uint64_t active = lanes == 64 ? mask : mask & 0xFFFFFFFF;
        ASSERT_EQ(covered & active, active) << "round " << round;
    }
}

}  // namespace rules_test
}  // namespace warpwright::counters
