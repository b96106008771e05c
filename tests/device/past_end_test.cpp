// Accesses a few bytes past an allocation: a device that is tolerant, as a GPU is, notes them and goes on; any other
// one ends the launch.
#include "device/emulated/emulated.hpp"
#include "support.hpp"
#include "support/cause.hpp"

namespace past_end_test {

using namespace device_tests;
using testing::HasSubstr;
using warpwright::record::FindingKind;
using warpwright::record::Severity;

/// A device with zeroed memory and an allocation of `bytes`, which kernels get as `a`.
struct Tolerant : Gpu {
    explicit Tolerant(std::uint64_t bytes, bool tolerant = true, std::uint32_t checkers = 0) {
        warpwright::device::EmulatedOptions options;
        options.threads = 1;
        options.memory = std::uint64_t{1} << 30;
        options.zeroed = true;
        options.tolerant = tolerant;
        options.checkers = checkers;
        device = std::move(*warpwright::device::make_emulated(options));
        a = *device->allocate(bytes);
        behind = *device->allocate(bytes);
    }
    /// Thread i of `threads` has its access at element i + `first`: %rd2.
    warpwright::Result<LaunchResult> access(const std::string& what, unsigned threads, unsigned first) {
        return try_launch(module("u64 a, u32 first", index_into("a") +
                                                         "ld.param.u32 %r5, [first]; mul.wide.u32 %rd3, %r5, 4;\n"
                                                         "add.s64 %rd2, %rd2, %rd3;\n" +
                                                         what + " // here\n"),
                          {1}, {threads}, parameters(a, first));
    }
    Address a = 0, behind = 0;
};

constexpr unsigned kWords = 256;  // 1024 bytes, a multiple of 512

TEST(PastEnd, WhatIsWrittenThereStaysAndHarmsNobody) {
    for (const char* store :
         {"st.global.u32 [%rd2], 7;", "red.global.add.u32 [%rd2], 7;",
          "setp.lt.u32 %p1, %r2, 100; @%p1 st.global.u32 [%rd2], 7; @!%p1 st.global.u32 [%rd2], 7;"}) {
        Tolerant gpu(kWords * 4);
        auto r = gpu.access(store, 128, kWords);  // all 512 bytes behind it
        ASSERT_TRUE(r.ok()) << r.error().text();
        EXPECT_EQ(gpu.read<std::uint32_t>(gpu.behind, kWords), std::vector<std::uint32_t>(kWords));
        EXPECT_EQ(gpu.read<std::uint32_t>(gpu.a, kWords), std::vector<std::uint32_t>(kWords));
        // The same place reads as it was written, from a kernel as well.
        r = gpu.access(
            "ld.global.u32 %r6, [%rd2]; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4;\n"
            "st.global.u32 [%rd4], %r6;",
            128, kWords);
        ASSERT_TRUE(r.ok()) << r.error().text();
        EXPECT_EQ(gpu.read<std::uint32_t>(gpu.a, 128), std::vector<std::uint32_t>(128, 7)) << store;
    }
}

TEST(PastEnd, IsNotedOnceALineWithHowOften) {
    Tolerant gpu(kWords * 4);
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(gpu.access("st.global.u32 [%rd2], 7;", 2, kWords - 1).ok());
    const auto found = gpu.device->finding_log()->findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, FindingKind::out_of_bounds);
    EXPECT_EQ(found[0].severity, Severity::warning);
    EXPECT_EQ(found[0].cause, warpwright::Cause::out_of_bounds);
    EXPECT_EQ(found[0].kernel, "k");
    EXPECT_EQ(found[0].at.thread.value()[0], 1u);
    EXPECT_NE(found[0].at.line, 0u);
    EXPECT_EQ(found[0].address, gpu.a + kWords * 4);
    EXPECT_EQ(found[0].count, 3u);
    EXPECT_THAT(found[0].message, HasSubstr("out-of-bounds global store of 4 bytes"));
    EXPECT_THAT(found[0].message, HasSubstr("at the end of an allocation of 1024"));
}

TEST(PastEnd, OnlyActiveLanesAreNoted) {
    Tolerant gpu(kWords * 4);
    ASSERT_TRUE(gpu.access("setp.lt.u32 %p1, %r2, 16; @%p1 st.global.u32 [%rd2], 7;", 32, kWords - 16).ok());
    EXPECT_EQ(gpu.device->finding_log()->findings().size(), 0u);
}

TEST(PastEnd, TheRestOfTheLast512BytesIsNotedToo) {
    Tolerant gpu(100);
    ASSERT_TRUE(gpu.access("st.global.u32 [%rd2], 7;", 1, 127).ok());
    EXPECT_EQ(gpu.device->finding_log()->findings().size(), 1u);
}

TEST(PastEnd, FurtherAwayEndsTheLaunch) {
    Tolerant gpu(kWords * 4);
    // Beyond the second one: what lies 512 bytes behind the first is the second.
    const auto r = gpu.access("st.global.u32 [%rd2], 7;", 1, 2 * (kWords + 128));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().cause, warpwright::Cause::out_of_bounds);
    Tolerant wide(kWords * 4);
    EXPECT_FALSE(wide.access("st.global.u64 [%rd2], %rd1;", 1, kWords + 127).ok()) << "half of it is further away";
}

TEST(PastEnd, OtherDevicesEndTheLaunch) {
    Tolerant strict(kWords * 4, false);
    EXPECT_FALSE(strict.access("st.global.u32 [%rd2], 7;", 1, kWords).ok());
    EXPECT_FALSE(Tolerant(100, false).access("st.global.u32 [%rd2], 7;", 1, 25).ok());
    Tolerant checked(kWords * 4, true, warpwright::record::kKernelCheckers);
    EXPECT_TRUE(checked.access("st.global.u32 [%rd2], 7;", 1, kWords).ok());
    const auto found = checked.device->finding_log()->findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::error);
}

TEST(PastEnd, BulkCopiesToo) {
    Tolerant gpu(kWords * 4);
    const auto r = gpu.try_launch(
        module("u64 a",
               ".shared .align 16 .b8 s[64];\nld.param.u64 %rd1, [a]; mov.u32 %r1, s; st.shared.u32 [%r1], 9;\n"
               "add.s64 %rd2, %rd1, 1008;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 32; // here\n"
               "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
        {1}, {1}, parameters(gpu.a));
    ASSERT_TRUE(r.ok()) << r.error().text();
    EXPECT_EQ(gpu.read<std::uint32_t>(gpu.a + 1008, 1)[0], 9u);
    const auto found = gpu.device->finding_log()->findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].message, HasSubstr("reaches past the end of an allocation of 1024"));
}

}  // namespace past_end_test
