// Guard mode itself: what it lets pass, and what it says of an access that should have been refused before.
#include <csignal>

#include "security/attack.hpp"

namespace guard_test {

using namespace security_tests;

std::unique_ptr<warpwright::device::Device> guarded() {
    warpwright::device::EmulatedOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{64} << 20;
    options.guarded = true;
    auto made = warpwright::device::make_emulated(options);
    return std::move(made.value());
}

void touch(Address at) { *reinterpret_cast<volatile std::uint8_t*>(at) = 1; }

TEST(Guard, MemoryIsThereToItsLastByte) {
    const auto device = guarded();
    std::vector<Address> all;
    for (const std::uint64_t bytes : {1ull, 255ull, 256ull, 4096ull, 4097ull, 100000ull, 0ull}) {
        const auto at = device->allocate(bytes).value();
        EXPECT_EQ(at % 256, 0u);
        if (bytes) touch(at), touch(at + bytes - 1);
        all.push_back(at);
    }
    for (const auto at : all) EXPECT_TRUE(device->release(at).ok());
    // What was freed is handed out again.
    for (int n = 0; n < 200; ++n) {
        const auto at = device->allocate(std::uint64_t{8} << 20).value();
        touch(at + (std::uint64_t{8} << 20) - 1);
        EXPECT_TRUE(device->release(at).ok());
    }
}

TEST(GuardDeathTest, WhatIsBesideAnAllocationIsReported) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto device = guarded();
    const auto at = device->allocate(8192).value();
    EXPECT_EXIT(touch(at + 8192), testing::KilledBySignal(SIGSEGV),
                "guard: .* 0 bytes past the end of an allocation of 8192");
    EXPECT_EXIT(touch(at - 1), testing::KilledBySignal(SIGSEGV), "guard: .*none runs.* accessed 0x");
}

TEST(GuardDeathTest, FreedMemoryIsReported) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto device = guarded();
    const auto at = device->allocate(4096).value();
    ASSERT_TRUE(device->release(at).ok());
    EXPECT_EXIT(touch(at), testing::KilledBySignal(SIGSEGV), "guard: kernel");
}

/// Kernels that keep to their memory notice nothing of it: results and counts are those without guards.
TEST(Guard, KernelsRunAsWithoutIt) {
    const std::string text = Victim::text_of("two_runs.ptx");
    warpwright::record::Counts counts[2];
    for (const bool guard : {false, true}) {
        Victim victim(false);
        if (guard) victim.device = guarded();
        const auto in = victim.buffer(4096, 1), out = victim.buffer(256, 0);
        const auto r = victim.run_text("two_runs.ptx", text, "load", parameters(in, out, std::uint64_t{64}));
        ASSERT_TRUE(r.ok()) << r.error().text();
        counts[guard] = r->counts->total;
        EXPECT_FALSE(victim.is_all(out, 256, 0));
    }
    EXPECT_EQ(counts[0], counts[1]);
}

}  // namespace guard_test
