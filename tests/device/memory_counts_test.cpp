// What single memory instructions count: global atomics by address, local memory by words, shared additions of one
// (docs/counters.md), with addresses known ahead and not.
#include "support.hpp"

namespace memory_counts_test {

using namespace device_tests;

/// One warp executes `access` on [%rd5], which is `a` + (lane >> shift) * scale. With `ahead` shift and scale stand in
/// the text, else they are parameters.
Counts global_pattern(const std::string& access, unsigned shift, unsigned scale, bool ahead,
                      std::uint32_t active = 32) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(4096));
    const auto by = ahead ? std::to_string(shift) : std::string("%r5"),
               times = ahead ? std::to_string(scale) : std::string("%r6");
    return gpu.counts(module("u64 a, u32 shift, u32 scale, u32 active", R"(
ld.param.u64 %rd1, [a]; ld.param.u32 %r5, [shift]; ld.param.u32 %r6, [scale]; ld.param.u32 %r7, [active];
mov.u32 %r2, %tid.x; shr.u32 %r8, %r2, )" + by + R"(; mul.wide.u32 %rd4, %r8, )" +
                                                                            times + R"(; add.s64 %rd5, %rd1, %rd4;
setp.ge.u32 %p1, %r2, %r7;
@%p1 bra END;
)" + access + "\nEND:"),
                      {1}, {32}, parameters(a, shift, scale, active));
}

TEST(MemoryCounts, GlobalAtomicsTakeTurnsAtAnAddress) {
    for (const auto* access : {"atom.global.add.u32 %r9, [%rd5], 1;", "red.global.add.u32 [%rd5], 1;",
                               "red.add.u32 [%rd5], 1;", "atom.global.cas.b32 %r9, [%rd5], 0, 1;",
                               "red.global.add.f32 [%rd5], 0f3f800000;", "atom.global.exch.b32 %r9, [%rd5], 3;"})
        for (const bool ahead : {true, false}) {
            auto sectors = [&](unsigned shift, unsigned scale, unsigned active = 32) {
                const auto c = global_pattern(access, shift, scale, ahead, active);
                EXPECT_EQ(c[Count::global_atomic_requests], 1u) << access;
                EXPECT_EQ(c[Count::global_bytes_requested], 4u * active) << access;
                EXPECT_EQ(c[Count::global_load_requests] + c[Count::global_store_requests], 0u);
                return c[Count::global_atomic_sectors];
            };
            EXPECT_EQ(sectors(5, 4), 32u) << access << ahead;  // all at one address
            EXPECT_EQ(sectors(0, 0), 32u) << access << ahead;
            EXPECT_EQ(sectors(0, 4), 4u) << access << ahead;       // consecutive words
            EXPECT_EQ(sectors(0, 32), 32u) << access << ahead;     // a sector each
            EXPECT_EQ(sectors(1, 4), 2u * 2) << access << ahead;   // pairs at one address, 16 words in 2 sectors
            EXPECT_EQ(sectors(2, 64), 8u * 4) << access << ahead;  // fours at one address, 8 sectors
            EXPECT_EQ(sectors(5, 4, 7), 7u) << access << ahead;    // 7 lanes at one address
            EXPECT_EQ(sectors(0, 4, 9), 2u) << access << ahead;
        }
}

TEST(MemoryCounts, VectorReductionsAreOneRequest) {
    for (const bool ahead : {true, false}) {
        const std::string two = "red.global.add.v2.f32 [%rd5], {%f1, %f2};",
                          four = "atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5], {%f5, %f6, %f7, %f8};";
        auto c = global_pattern(two, 0, 8, ahead);
        EXPECT_EQ(c[Count::global_atomic_requests], 1u);
        EXPECT_EQ(c[Count::global_atomic_sectors], 8u);
        EXPECT_EQ(c[Count::global_bytes_requested], 32u * 8);
        EXPECT_EQ(global_pattern(two, 5, 8, ahead)[Count::global_atomic_sectors], 32u);
        c = global_pattern(four, 0, 16, ahead);
        EXPECT_EQ(c[Count::global_atomic_sectors], 16u);
        EXPECT_EQ(c[Count::global_bytes_requested], 32u * 16);
        EXPECT_EQ(global_pattern(four, 1, 16, ahead)[Count::global_atomic_sectors], 2u * 8);
    }
}

TEST(MemoryCounts, VectorReductionsAddEveryElement) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(128, 1.0f)), old = gpu.buffer(std::vector<float>(128));
    gpu.launch(module("u64 a, u64 old", R"(
ld.param.u64 %rd1, [a]; ld.param.u64 %rd3, [old]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 16; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd3, %rd4;
cvt.rn.f32.u32 %f5, %r2; add.f32 %f6, %f5, 0f42c80000; add.f32 %f7, %f6, 0f42c80000; add.f32 %f8, %f7, 0f42c80000;
atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5], {%f5, %f6, %f7, %f8};
atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5], {%f5, %f6, %f7, %f8};
st.global.v4.f32 [%rd6], {%f1, %f2, %f3, %f4};)"),
               {1}, {32}, parameters(a, old));
    const auto after = gpu.read<float>(a, 128), before = gpu.read<float>(old, 128);
    for (unsigned i = 0; i < 128; ++i) {
        const float add = static_cast<float>(i / 4) + 100.0f * static_cast<float>(i % 4);
        EXPECT_EQ(after[i], 1 + 2 * add) << i;
        EXPECT_EQ(before[i], 1 + add) << i;
    }
}

/// One warp executes `access` on 128 bytes of local memory at %rd5 (generic: %rd6); lanes from `active` on do not.
/// `step`: bytes from a lane's offset to the next one's.
Counts local_pattern(const std::string& access, unsigned active, unsigned step = 0) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    return gpu.counts(module("u64 out, u32 active", ".local .align 16 .b8 l[1024];\n" + index_into("out") + R"(
ld.param.u32 %r7, [active];
mov.u64 %rd5, l; mul.wide.u32 %rd7, %r2, )" + std::to_string(step) +
                                                        R"(; add.s64 %rd5, %rd5, %rd7; cvta.local.u64 %rd6, %rd5;
setp.ge.u32 %p1, %r2, %r7;
@%p1 bra END;
)" + access + "\nEND:"),
                      {1}, {32}, parameters(out, active));
}

TEST(MemoryCounts, LocalMemoryByWords) {
    struct Case {
        const char *type, *registers;
        unsigned words;
    };
    const Case cases[] = {{"u8", "%r10", 1},
                          {"u16", "%h1", 1},
                          {"u32", "%r10", 1},
                          {"f32", "%f1", 1},
                          {"u64", "%rd10", 2},
                          {"v2.u8", "{%r10, %r11}", 1},
                          {"v4.u8", "{%r10, %r11, %r12, %r13}", 1},
                          {"v2.u16", "{%h1, %h2}", 1},
                          {"v4.u16", "{%h1, %h2, %h3, %h4}", 2},
                          {"v2.u32", "{%r10, %r11}", 2},
                          {"v4.u32", "{%r10, %r11, %r12, %r13}", 4},
                          {"v2.f32", "{%f1, %f2}", 2},
                          {"v4.f32", "{%f1, %f2, %f3, %f4}", 4},
                          {"v2.u64", "{%rd10, %rd11}", 4},
                          {"v2.f64", "{%d1, %d2}", 4}};
    for (const auto& c : cases)
        for (const bool generic : {false, true})
            for (const unsigned active : {32u, 9u, 1u}) {
                const auto at = std::string(generic ? "." : ".local.") + c.type;
                const std::string where = generic ? "[%rd6]" : "[%rd5]";
                const auto got = local_pattern("st" + at + " " + where + ", " + c.registers + ";\nld" + at + " " +
                                                   c.registers + ", " + where + ";",
                                               active);
                const unsigned sectors = (active + 7) / 8 * c.words;
                const auto what = at + " by " + std::to_string(active);
                EXPECT_EQ(got[Count::local_load_requests], c.words) << what;
                EXPECT_EQ(got[Count::local_store_requests], c.words) << what;
                EXPECT_EQ(got[Count::local_load_sectors], sectors) << what;
                EXPECT_EQ(got[Count::local_store_sectors], sectors) << what;
                EXPECT_EQ(got[Count::global_load_requests] + got[Count::global_store_requests] +
                              got[Count::shared_load_requests],
                          0u)
                    << what;
                EXPECT_EQ(got[Count::global_load_sectors] + got[Count::global_store_sectors] +
                              got[Count::global_bytes_requested],
                          0u)
                    << what;
            }
}

TEST(MemoryCounts, LocalOffsetsThatDiffer) {
    // Every lane at another word: 32 sectors for each word of the access.
    const auto got = local_pattern(
        "st.local.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\nld.local.v2.u32 {%r10, %r11}, [%rd5];\nld.v4.u32 {%r10, "
        "%r11, %r12, %r13}, [%rd6];",
        32, 16);
    EXPECT_EQ(got[Count::local_store_requests], 4u);
    EXPECT_EQ(got[Count::local_store_sectors], 4u * 32);
    EXPECT_EQ(got[Count::local_load_requests], 2u + 4);
    EXPECT_EQ(got[Count::local_load_sectors], (2u + 4) * 32);
}

/// A warp adds to the words at 4 * (lane / share) of shared memory.
Counts shared_add(const std::string& access, unsigned share, std::uint32_t active = 32) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto c =
        gpu.counts(module("u64 out, u32 active, u32 share", ".shared .align 8 .b8 s[1024];\n" + index_into("out") + R"(
ld.param.u32 %r7, [active]; ld.param.u32 %r8, [share];
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; st.shared.u32 [%r6], 0;
div.u32 %r9, %r2, %r8; shl.b32 %r9, %r9, 2; add.u32 %r9, %r5, %r9; mov.u32 %r10, 1; mov.u32 %r12, 0; cvt.u64.u32 %rd8, %r9; cvta.shared.u64 %rd9, %rd8;
bar.sync 0;
setp.ge.u32 %p1, %r2, %r7;
@%p1 bra END;
)" + access + "\nEND:\nbar.sync 0;\nld.shared.u32 %r11, [%r6]; add.u32 %r11, %r11, %r12; st.global.u32 [%rd2], %r11;"),
                   {1}, {32}, parameters(out, active, share));
    EXPECT_EQ(c[Count::shared_atomic_requests], 1u) << access;
    const auto sums = gpu.read<std::uint32_t>(out, 32);
    if (access.find("add.u32") != std::string::npos && access.find(", 1;") != std::string::npos &&
        access.find("%r12") == std::string::npos) {
        for (unsigned i = 0; i < 32; ++i) {
            const int left = static_cast<int>(active) - static_cast<int>(i * share);
            EXPECT_EQ(sums[i], static_cast<unsigned>(std::clamp(left, 0, static_cast<int>(share)))) << i;
        }
    }
    return c;
}

TEST(MemoryCounts, SharedAdditionsOfOneAreCountedTogether) {
    // The constant 1 with nobody asking for the old value: a counting instruction, lanes at a word share the pass.
    for (const auto* access : {"red.shared.add.u32 [%r9], 1;", "atom.shared.add.u32 %r11, [%r9], 1;",
                               "atom.shared.add.u32 _, [%r9], 1;", "red.shared.add.u32 [%r9], %r10;"})
        for (const unsigned share : {1u, 4u, 32u})
            for (const unsigned active : {32u, 11u}) {
                const auto c = shared_add(access, share, active);
                EXPECT_EQ(c[Count::shared_atomic_wavefronts], 1u) << access << share;
                EXPECT_EQ(c[Count::shared_atomic_bank_conflicts], 0u) << access << share;
            }
    // Anything else takes turns.
    for (const auto* access :
         {"red.shared.add.u32 [%r9], 2;", "atom.shared.add.u32 %r12, [%r9], 1;", "red.shared.inc.u32 [%r9], 1;",
          "red.shared.max.u32 [%r9], 1;", "red.shared.add.u32 [%r9], %r8;", "red.add.u32 [%rd9], 1;"})
        for (const unsigned share : {1u, 4u, 32u}) {
            const auto c = shared_add(access, share);
            EXPECT_EQ(c[Count::shared_atomic_wavefronts], share) << access;
            EXPECT_EQ(c[Count::shared_atomic_bank_conflicts], share - 1) << access;
        }
}

TEST(MemoryCounts, CountedTogetherOverManyBanks) {
    // Two words of one bank, 16 lanes each: two passes for a counting instruction, 32 turns otherwise.
    auto run = [](const std::string& value) {
        Gpu gpu;
        return gpu.counts(module("",
                                 ".shared .align 8 .b8 s[1024];\nmov.u32 %r1, s; mov.u32 %r2, %tid.x; and.b32 %r3, "
                                 "%r2, 1; shl.b32 %r3, %r3, 7; add.u32 %r3, %r1, %r3;\n"
                                 "red.shared.add.u32 [%r3], " +
                                     value + ";"),
                          {1}, {32}, {});
    };
    EXPECT_EQ(run("1")[Count::shared_atomic_wavefronts], 2u);
    EXPECT_EQ(run("1")[Count::shared_atomic_bank_conflicts], 1u);
    EXPECT_EQ(run("3")[Count::shared_atomic_wavefronts], 32u);
    EXPECT_EQ(run("3")[Count::shared_atomic_bank_conflicts], 31u);
}

TEST(MemoryCounts, AtomicsAndWideLoadsInOneKernel) {
    // An atomic's scratch space and a wider access's are one: the larger must fit whichever comes first.
    Gpu gpu;
    auto in = gpu.buffer(iota(1024)), out = gpu.buffer(std::vector<std::uint32_t>(1024)),
         n = gpu.buffer(std::vector<std::uint32_t>(1));
    gpu.launch(module("u64 out, u64 in, u64 n", index_into("out") + R"(
ld.param.u64 %rd3, [in]; ld.param.u64 %rd7, [n];
atom.global.add.u32 %r5, [%rd7], 1;
mul.lo.u32 %r6, %r2, %r2; and.b32 %r6, %r6, 31; mul.wide.u32 %rd4, %r6, 32; add.s64 %rd5, %rd3, %rd4;
ld.v4.u64 {%rd10, %rd11, %rd12, %rd13}, [%rd5];
shfl.sync.idx.b32 %r7, %r5, %r2, 31, -1;
mul.wide.u32 %rd6, %r2, 32; add.s64 %rd6, %rd1, %rd6;
st.v4.u64 [%rd6], {%rd10, %rd11, %rd12, %rd13};
add.u32 %r7, %r7, %r5; st.global.u32 [%rd6], %r7;)"),
               {1}, {32}, parameters(out, in, n));
    const auto values = gpu.read<std::uint32_t>(out, 256);
    for (unsigned i = 0; i < 256; ++i)
        EXPECT_EQ(values[i], i % 8 ? (i / 8) * (i / 8) % 32 * 8 + i % 8 : 2 * (i / 8)) << i;
}

/// A warp reads shared memory at base + tid * stride: twice in a loop, the second time `step` bytes further.
Counts shared_read(const std::string& type, const std::string& stride, std::uint32_t base, std::uint32_t step,
                   std::int32_t scale = 0) {
    Gpu gpu;
    return gpu.counts(module("u32 base, u32 step, s32 scale", ".shared .align 8 .b8 s[4096];\n" + std::string(R"(
mov.u32 %r2, %tid.x; ld.param.u32 %r3, [base]; ld.param.u32 %r4, [step]; ld.param.s32 %r5, [scale];
mov.u32 %r6, s; add.u32 %r6, %r6, %r3; mul.lo.s32 %r7, %r2, )") + stride +
                                                                  R"(; mov.u32 %r9, 0;
LOOP:
add.u32 %r8, %r6, %r7; ld.shared.)" + type + R"( %h1, [%r8];
add.u32 %r6, %r6, %r4; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra LOOP;
)"),
                      {1}, {32}, parameters(base, step, scale));
}

// Of elements narrower than a bank the cost depends on where in a word the first one lies.
TEST(MemoryCounts, NarrowSharedElementsCountByTheirPlaceInAWord) {
    for (const std::string stride : {"66", "%r5"}) {
        const auto wavefronts = [&](std::uint32_t base, std::uint32_t step) {
            const auto c = shared_read("u16", stride, base, step, 66);
            EXPECT_EQ(c[Count::shared_load_requests], 2u);
            EXPECT_EQ(c[Count::shared_load_wavefronts] - 2, c[Count::shared_load_bank_conflicts]);
            return c[Count::shared_load_wavefronts];
        };
        // Lanes 2k read word 33k, lanes 2k + 1 word 33k + 16: all banks differ. Two bytes further the odd lanes read
        // word 33k + 17, the last of them in the bank of lane 0.
        EXPECT_EQ(wavefronts(0, 0), 2u) << stride;
        EXPECT_EQ(wavefronts(2, 0), 4u) << stride;
        EXPECT_EQ(wavefronts(0, 2), 3u) << stride;
        EXPECT_EQ(wavefronts(2, 2), 3u) << stride;
        EXPECT_EQ(wavefronts(4, 4), 2u) << stride;
    }
}

// A scale of -1 is no value that a site begins with.
TEST(MemoryCounts, SharedElementsReadBackwards) {
    const auto c = shared_read("u8", "%r5", 67, 0, -1);
    EXPECT_EQ(c[Count::shared_load_requests], 2u);
    EXPECT_EQ(c[Count::shared_load_wavefronts], 2u);
    EXPECT_EQ(c[Count::shared_load_bank_conflicts], 0u);
}

}  // namespace memory_counts_test
