// Kernels that use up what the host has for them: its stack, and its memory for what they ask of the runtime.
#include <unistd.h>

#include <fstream>

#include "security/attack.hpp"

namespace exhaustion_test {

using namespace security_tests;

/// A kernel whose function f calls itself `depth` times (its parameter) and keeps `values` values meanwhile.
std::string recursion(unsigned values) {
    std::string body, sum;
    for (unsigned v = 0; v < values; ++v) {
        const auto n = std::to_string(v);
        body += "ld.volatile.u32 %v" + n + ", [%rd1+" + std::to_string(v % 8 * 8) + "];\n";
        sum += "add.u32 %r4, %r4, %v" + n + ";\n";
    }
    return ".version 8.6\n.target sm_90a\n.address_size 64\n"
           ".func (.param .b32 r) f(.param .b64 at, .param .b32 levels)\n{\n"
           ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b32 %v<" +
           std::to_string(values) +
           ">;\n"
           "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [levels]; mov.u32 %r4, %r1;\n"
           "setp.eq.u32 %p1, %r1, 0; @%p1 bra END;\n"
           "mov.u32 %r5, %tid.x; mul.wide.u32 %rd2, %r5, 64; add.s64 %rd1, %rd1, %rd2;\n" +
           body +
           "sub.u32 %r2, %r1, 1; ld.param.u64 %rd3, [at];\n"
           "{ .param .b64 a; st.param.b64 [a], %rd3; .param .b32 l; st.param.b32 [l], %r2; .param .b32 x;\n"
           "call (x), f, (a, l); ld.param.b32 %r3, [x]; }\n"
           "add.u32 %r4, %r4, %r3;\n" +
           sum +
           "END: st.param.b32 [r], %r4; ret;\n}\n"
           ".visible .entry k(.param .u64 out, .param .u32 levels)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
           "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [levels];\n"
           "{ .param .b64 a; st.param.b64 [a], %rd1; .param .b32 l; st.param.b32 [l], %r1; .param .b32 x;\n"
           "call (x), f, (a, l); ld.param.b32 %r2, [x]; }\nst.global.u32 [%rd1], %r2; ret;\n}\n";
}

TEST(Exhaustion, RecursionWithLargeFramesStaysOnItsStack) {
    Victim victim(false);
    const auto out = victim.buffer(4096, 0);
    const auto text = recursion(600);
    EXPECT_TRUE(victim.run_text("k.ptx", text, "k", parameters(out, 3u)).ok());
    const auto r = victim.run_text("k.ptx", text, "k", parameters(out, 1900u));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().cause, Cause::stack_overflow) << r.error().text();
    EXPECT_GT(r.error().where.line, 0u);
}

TEST(Exhaustion, GridsThatWaitForGrids) {
    for (const bool checked : {false, true}) {
        Victim victim(checked);
        const auto out = victim.buffer(256, 9);
        const auto r = victim.run("many_requests.ptx", "nested", parameters(out, 60u), {1});
        if (!r.ok()) EXPECT_EQ(r.error().cause, Cause::stack_overflow) << r.error().text();
        EXPECT_FALSE(victim.is_all(out, 1, 9));
    }
}

TEST(Exhaustion, WhatTheRuntimeKeepsForAKernelIsBounded) {
    Victim victim(false);
    const auto out = victim.buffer(4, 0);
    const auto given = [&](const char* entry, std::uint32_t times) {
        const auto r = victim.run("many_requests.ptx", entry, parameters(out, times), {1});
        EXPECT_TRUE(r.ok()) << r.error().text();
        std::uint32_t n = 0;
        std::memcpy(&n, victim.read(out, 4).data(), 4);
        return n;
    };
    EXPECT_EQ(given("buffers", 5000), 2048u) << "pending launches";
    EXPECT_EQ(given("streams", 70000), 1u << 16);
}

TEST(Exhaustion, PiecesOfAKernelsHeapAreBounded) {
    warpwright::device::EmulatedOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{4} << 30;
    auto device = warpwright::device::make_emulated(options).value();
    const auto out = device->allocate(4).value();
    auto loaded = device->load("many_requests.ptx", Victim::text_of("many_requests.ptx")).value();
    LaunchConfig config;
    config.grid = config.block = {1};
    const auto r = device->launch(*loaded, "pieces", config, parameters(out, 1100000u), {});
    ASSERT_TRUE(r.ok()) << r.error().text();
    std::uint32_t n = 0;
    ASSERT_TRUE(device->read(std::as_writable_bytes(std::span(&n, 1)), out).ok());
    EXPECT_EQ(n, 1u << 20);
}

/// Of a variable of 60 GiB no page is touched that nothing was written to.
TEST(Exhaustion, VariablesTakeMemoryWhereTheyAreUsed) {
    const auto resident = [] {
        std::ifstream in("/proc/self/statm");
        std::uint64_t pages = 0;
        in >> pages >> pages;
        return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    };
    warpwright::device::EmulatedOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{64} << 30;
    auto device = warpwright::device::make_emulated(options).value();
    const auto before = resident();
    for (int k = 0; k < 2; ++k) {
        auto loaded = device->load("large.ptx",
                                   ".version 8.6\n.target sm_90a\n.address_size 64\n"
                                   ".global .b8 large[64424509440];\n.global .b32 small = 7;\n"
                                   ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                                   "ld.param.u64 %rd1, [out]; mov.u64 %rd2, large;\n"
                                   "ld.global.u8 %r1, [%rd2+64424509439]; ld.global.u32 %r2, [small];\n"
                                   "add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;\n"
                                   "mov.u32 %r3, 9; st.global.u8 [%rd2+64424509439], %r3; ret;\n}\n");
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
        const auto out = device->allocate(4).value();
        LaunchConfig config;
        config.grid = config.block = {1};
        ASSERT_TRUE(device->launch(**loaded, "k", config, parameters(out), {}).ok());
        std::uint32_t n = 0;
        ASSERT_TRUE(device->read(std::as_writable_bytes(std::span(&n, 1)), out).ok());
        EXPECT_EQ(n, 7u) << "zero, though the memory was another module's before";
    }
    EXPECT_LT(resident(), before + (std::uint64_t{1} << 30));
}

/// Blocks that wait for a word that nobody writes, with so much shared memory that not all of them fit.
TEST(Exhaustion, BlocksThatWaitForEachOther) {
    Victim victim(false);
    const auto out = victim.buffer(256, 0);
    auto loaded = victim.device->load("wait.ptx",
                                      ".version 8.6\n.target sm_90a\n.address_size 64\n"
                                      ".extern .shared .align 16 .b8 tile[];\n"
                                      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<2>; .reg .b32 %r<4>; "
                                      ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n"
                                      "WAIT: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;\n"
                                      "@%p1 bra WAIT;\nmov.u32 %r2, tile; st.shared.u32 [%r2], %r1; ret;\n}\n");
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    LaunchConfig config;
    config.grid = {1000000};
    config.block = {32};
    config.dynamic_shared = 200 << 10;
    LaunchOptions options;
    options.timeout = std::chrono::seconds(3);
    const auto r = victim.device->launch(**loaded, "k", config, parameters(out), options);
    ASSERT_FALSE(r.ok());
    // As on a GPU the others never begin: those that wait take no more memory than they may until the time is over.
    EXPECT_EQ(r.error().cause, Cause::time_limit) << r.error().text();
}

}  // namespace exhaustion_test
