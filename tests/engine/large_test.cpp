// Beyond 32 bits: block numbers, and addresses far apart in allocations of which few pages are touched.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"
#include "engine/shared/executor.hpp"

namespace large_test {

using namespace warpwright;

TEST(Large, BlockNumbersTakeSixtyFourBits) {
    std::uint32_t at[3];
    auto expect = [&](std::uint64_t index, const std::uint32_t(&grid)[3], std::uint32_t x, std::uint32_t y,
                      std::uint32_t z) {
        engine::block_position(index, grid, at);
        EXPECT_EQ(at[0], x) << index;
        EXPECT_EQ(at[1], y) << index;
        EXPECT_EQ(at[2], z) << index;
    };
    const std::uint32_t wide[3] = {2147483647u, 2, 1}, most[3] = {2147483647u, 65535, 65535}, odd[3] = {3, 5, 7};
    expect(0, wide, 0, 0, 0);
    expect(2147483646u, wide, 2147483646u, 0, 0);
    expect(2147483647u, wide, 0, 1, 0);
    expect(std::uint64_t{2} * 2147483647u - 1, wide, 2147483646u, 1, 0);
    const std::uint64_t all = std::uint64_t{2147483647u} * 65535 * 65535;
    expect(all - 1, most, 2147483646u, 65534, 65534);
    expect(all - 2147483647u, most, 0, 65534, 65534);
    expect(std::uint64_t{2147483647u} * 65535, most, 0, 0, 1);
    expect((std::uint64_t{1} << 32) + 5, most, 7, 2, 0);
    expect(3 * 5 * 7 - 1, odd, 2, 4, 6);
    expect(16, odd, 1, 0, 1);
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

struct Sparse {
    explicit Sparse(bool affine_off, unsigned threads = 1) {
        engine::EngineOptions options;
        options.threads = threads;
        options.memory = 80 * kGiB;
        options.affine_off = affine_off;
        auto made = engine::Engine::create(options);
        if (made) e = std::move(*made);
    }
    Result<launch::EmulatedResult> run(const std::string& body, std::uint64_t a, std::uint64_t out, std::uint32_t n,
                                       std::uint32_t block = 32, std::uint32_t grid = 1) {
        const std::string text =
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 out, .param "
            ".u32 n)\n{\n"
            ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"
            "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; "
            "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd2, %rd3;\n" +
            body + "\nret;\n}\n";
        program = e->load("large.ptx", text).value();
        std::byte parameters[20];
        std::memcpy(parameters, &a, 8);
        std::memcpy(parameters + 8, &out, 8);
        std::memcpy(parameters + 16, &n, 4);
        engine::LaunchRequest request;
        request.config.block.x = block, request.config.grid.x = grid;
        request.parameters = parameters;
        request.options.timeout = std::chrono::seconds(60);
        return e->launch(*program, 0, request);
    }
    std::uint64_t buffer(std::uint64_t bytes) { return e->memory().allocate(bytes).value(); }
    static std::uint32_t& word(std::uint64_t at) { return *reinterpret_cast<std::uint32_t*>(at); }

    std::unique_ptr<engine::Engine> e;
    std::shared_ptr<engine::Program> program;
};

class LargeMemory : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(AffineOff, LargeMemory, testing::Bool());

TEST_P(LargeMemory, LanesGigabytesApart) {
    Sparse s(GetParam());
    ASSERT_TRUE(s.e);
    const auto a = s.buffer(36 * kGiB), out = s.buffer(128);
    for (std::uint64_t l = 0; l < 32; ++l) s.word(a + l * (kGiB + 4096)) = static_cast<std::uint32_t>(1000 + l);
    for (const auto* address : {"mul.wide.u32 %rd4, %r2, 1073745920; add.s64 %rd4, %rd1, %rd4;",
                                "cvt.u64.u32 %rd5, %r2; mul.lo.s64 %rd4, %rd5, 1073745920; add.s64 %rd4, %rd4, %rd1;",
                                "mul.wide.u32 %rd4, %r2, %r1; add.s64 %rd4, %rd1, %rd4;",
                                "mul.wide.s32 %rd4, %r2, %r1; add.s64 %rd4, %rd1, %rd4;",
                                "cvt.u64.u32 %rd5, %r2; cvt.u64.u32 %rd6, %r1; mad.lo.s64 %rd4, %rd5, %rd6, %rd1;"}) {
        auto r = s.run(std::string(address) +
                           "\nld.global.u32 %r5, [%rd4]; st.global.u32 [%rd4+8], %r5; st.global.u32 [%rd3], %r5;",
                       a, out, 1073745920);
        ASSERT_TRUE(r.ok()) << r.error().text();
        for (std::uint32_t l = 0; l < 32; ++l) {
            EXPECT_EQ(s.word(out + 4 * l), 1000 + l) << address;
            auto& copied = s.word(a + l * (kGiB + 4096) + 8);
            EXPECT_EQ(copied, 1000 + l) << address;
            copied = 0;
        }
        EXPECT_EQ(r->result.counts->total[record::Count::global_load_sectors], 32u) << address;
        EXPECT_EQ(r->result.counts->total[record::Count::global_store_sectors], 32u + 4) << address;
    }
}

TEST_P(LargeMemory, ElementsBeyondTwoToTheThirtyOne) {
    Sparse s(GetParam());
    ASSERT_TRUE(s.e);
    // 2^33 + 64 bytes: index 2^31 is the last sixteen words.
    const auto a = s.buffer((std::uint64_t{1} << 33) + 128), out = s.buffer(128);
    const auto end = a + (std::uint64_t{1} << 33);
    for (std::uint32_t l = 0; l < 32; ++l) s.word(end + 4 * l) = 70 + l;
    s.word(a) = 1;
    for (const auto* address : {"add.u32 %r6, %r2, %r1; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd1, %rd4;",
                                "cvt.u64.u32 %rd5, %r2; cvt.u64.u32 %rd6, %r1; add.s64 %rd5, %rd5, %rd6; shl.b64 %rd5, "
                                "%rd5, 2; add.s64 %rd4, %rd1, %rd5;",
                                "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4; add.s64 %rd4, %rd4, 8589934592;",
                                "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, %rd1; mul.wide.u32 %rd4, %r2, 4; "
                                "add.s64 %rd4, %rd4, %rd5;"}) {
        auto r = s.run(std::string(address) +
                           "\nld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r5; red.global.add.u32 [%rd4], 1; "
                           "atom.global.add.u32 %r7, [%rd4], -1;",
                       a, out, 0x80000000u);
        ASSERT_TRUE(r.ok()) << r.error().text();
        for (std::uint32_t l = 0; l < 32; ++l) {
            EXPECT_EQ(s.word(out + 4 * l), 70 + l) << address;
            EXPECT_EQ(s.word(end + 4 * l), 70 + l) << address;
        }
        EXPECT_EQ(r->result.counts->total[record::Count::global_load_sectors], 4u) << address;
        // One lane more is past the end.
        auto past = s.run(std::string(address) + "\nld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r5;", a, out,
                          0x80000000u, 33);
        ASSERT_FALSE(past.ok()) << address;
        EXPECT_NE(past.error().what.find("at the end of an allocation of 8589934720"), std::string::npos)
            << past.error().text();
    }
    // A signed index of 2^31 is negative: before the allocation, not beyond it.
    auto r = s.run(
        "add.s32 %r6, %r2, %r1; mul.wide.s32 %rd4, %r6, 4; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r5, [%rd4]; "
        "st.global.u32 [%rd3], %r5;",
        a, out, 0x80000000u);
    EXPECT_FALSE(r.ok());
}

TEST_P(LargeMemory, StridedLoopOverManyGigabytes) {
    Sparse s(GetParam());
    ASSERT_TRUE(s.e);
    const std::uint64_t step = 2 * kGiB + 64, steps = 30;
    const auto a = s.buffer(step * steps), out = s.buffer(128);
    for (std::uint64_t k = 0; k < steps; ++k)
        for (std::uint64_t l = 0; l < 8; ++l) s.word(a + k * step + 4 * l) = static_cast<std::uint32_t>(100 * k + l);
    auto r = s.run(
        "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4; mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
        "L: ld.global.u32 %r5, [%rd4]; add.u32 %r6, %r6, %r5; add.s64 %rd4, %rd4, 2147483712; add.u32 %r7, %r7, 1; "
        "setp.lt.u32 %p1, %r7, %r1; @%p1 bra L;\n"
        "st.global.u32 [%rd3], %r6;",
        a, out, steps, 8);
    ASSERT_TRUE(r.ok()) << r.error().text();
    for (std::uint32_t l = 0; l < 8; ++l) EXPECT_EQ(s.word(out + 4 * l), 100 * (steps * (steps - 1) / 2) + steps * l);
    EXPECT_EQ(r->result.counts->total[record::Count::global_load_sectors], steps);
}

/// A 32-bit index that wraps within the warp: its addresses do not have the form whose cost is known when the kernel is
/// compiled, so the runtime counts them, and nothing else does.
TEST_P(LargeMemory, AnIndexThatWrapsIsCountedOnce) {
    Sparse s(GetParam());
    ASSERT_TRUE(s.e);
    const auto a = s.buffer(16 * kGiB), out = s.buffer(128);
    // Lanes lie 32 bytes apart, so that each has a sector of its own.
    for (const std::uint32_t base : {0xffffff80u, 0u}) {
        for (std::uint32_t l = 0; l < 32; ++l) s.word(a + std::uint64_t{4} * (base + 8 * l)) = 500 + l;
        auto r = s.run(
            "shl.b32 %r6, %r2, 3; add.u32 %r6, %r6, %r1; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd1, %rd4; "
            "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd4+4], %r5; st.global.u32 [%rd3], %r5;",
            a, out, base);
        ASSERT_TRUE(r.ok()) << r.error().text();
        for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(s.word(out + 4 * l), 500 + l) << base;
        EXPECT_EQ(r->result.counts->total[record::Count::global_load_sectors], 32u) << base;
        EXPECT_EQ(r->result.counts->total[record::Count::global_store_sectors], 32u + 4) << base;
    }
}

TEST(Large, CountsOfVeryManyBlocks) {
    // What is counted a block is multiplied in 64 bits.
    engine::KernelCode code;
    code.options.block = {32, 1, 1, 32};
    auto module = std::make_unique<ptx::Module>();
    code.module = module.get();
    simt::Details load;
    code.insts.push_back({&load, 0});
    code.blocks = 1;
    code.block_end = {nullptr};
    engine::SiteInfo site;
    site.ptx = &load;
    site.space = ptx::Space::global;
    site.full_passes = 4;
    code.sites.push_back(site);
    const std::uint64_t blocks = std::uint64_t{1} << 40;
    const std::uint64_t counters[4] = {blocks, 0, 0, 0};
    const engine::Site sites[1];
    const engine::SiteSpaces spaces[1];
    const auto counts = engine::assemble_counts(code, counters, sites, spaces, false);
    EXPECT_EQ(counts.total[record::Count::thread_instructions], blocks * 32);
    EXPECT_EQ(counts.total[record::Count::global_load_sectors], blocks * 4);
    EXPECT_EQ(counts.total[record::Count::global_bytes_requested], blocks * 128);
    // Two of the executions were counted by the runtime, which found seven sectors.
    engine::Site irregular[1];
    irregular[0].irregular_full = 2;
    irregular[0].passes = 7;
    EXPECT_EQ(
        engine::assemble_counts(code, counters, irregular, spaces, false).total[record::Count::global_load_sectors],
        (blocks - 2) * 4 + 7);
}

/// Quick code keeps each value that another block of LLVM's reads at a place of its own, and each load ends such a
/// block: so its frame is larger than a thread's stack may be asked for.
TEST(Large, QuickCodeRunsWhateverItsFrameIs) {
    constexpr unsigned kValues = 4400, kBlocks = 3, kThreads = 64;  // of 32 lanes and 8 bytes: 1.1 MiB
    std::string body =
        "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd4, %r3, 512; add.s64 %rd3, %rd3, %rd4; mov.u64 %rd5, 0;\n"
        "mul.wide.u32 %rd6, %r2, 8; add.s64 %rd6, %rd1, %rd6;\n.reg .b64 %v<4400>;\n";
    for (unsigned k = 0; k < kValues; ++k)
        body += "ld.global.u64 %v" + std::to_string(k) + ", [%rd6+" + std::to_string(8 * k) + "];\n";
    for (unsigned k = 0; k < kValues; ++k) body += "mad.lo.u64 %rd5, %rd5, 3, %v" + std::to_string(k) + ";\n";
    body += "mad.wide.u32 %rd3, %r2, 4, %rd3; st.global.u64 [%rd3], %rd5;";
    Sparse s(false, 2);
    ASSERT_TRUE(s.e);
    const auto a = s.buffer(8 * (kValues + kThreads));
    const auto out = s.buffer(8 * kThreads * kBlocks);
    auto* in = reinterpret_cast<std::uint64_t*>(a);
    for (unsigned k = 0; k < kValues + kThreads; ++k) in[k] = 0x9E3779B97F4A7C15u * (k + 1);
    const auto r = s.run(body, a, out, 0, kThreads, kBlocks);
    ASSERT_TRUE(r.ok()) << r.error().text();
    EXPECT_TRUE(r->result.quick_code);
    for (unsigned i = 0; i < kThreads * kBlocks; ++i) {
        std::uint64_t sum = 0;
        for (unsigned k = 0; k < kValues; ++k) sum = sum * 3 + in[i % kThreads + k];
        ASSERT_EQ(reinterpret_cast<const std::uint64_t*>(out)[i], sum) << i;
    }
}

}  // namespace large_test
