// The same kernel with and without the scalar treatment of affine values: identical memory and identical counts. And
// the disk cache of compiled code: same results, also when its files are broken.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "common/processors.hpp"
#include "engine/run/engine.hpp"
#include "random_kernel.hpp"

namespace differential_test {

using namespace warpwright;
using engine_tests::RandomKernel;
using engine_tests::Twist;

struct Ran {
    std::vector<std::uint32_t> out;
    record::Counts counts;
    std::string error;
};

constexpr unsigned kOut = RandomKernel::kOutThreads + engine_tests::kWords;

Ran run(const std::string& ptx, const engine::EngineOptions& options, std::uint32_t grid, std::uint32_t x,
        std::uint32_t y, unsigned times = 1) {
    Ran ran;
    auto engine = engine::Engine::create(options);
    if (!engine) return {{}, {}, engine.error().text()};
    auto& e = **engine;
    auto program = e.load("random.ptx", ptx);
    if (!program) return {{}, {}, program.error().text()};
    const auto out = e.memory().allocate(4 * kOut).value(), in = e.memory().allocate(4 * engine_tests::kWords).value();
    auto* words = reinterpret_cast<std::uint32_t*>(in);
    for (unsigned i = 0; i < engine_tests::kWords; ++i) words[i] = i * 2654435761u;
    std::memset(reinterpret_cast<void*>(out), 0, 4 * kOut);
    std::byte parameters[24];
    const std::uint32_t n = 19, m = 0xfffffff0u;
    std::memcpy(parameters, &out, 8);
    std::memcpy(parameters + 8, &in, 8);
    std::memcpy(parameters + 16, &n, 4);
    std::memcpy(parameters + 20, &m, 4);
    engine::LaunchRequest request;
    request.config.grid.x = grid;
    request.config.block.x = x;
    request.config.block.y = y;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    for (unsigned k = 0; k < times; ++k) {
        std::memset(reinterpret_cast<void*>(out), 0, 4 * kOut);
        auto reply = e.launch(**program, 0, request);
        if (!reply) return {{}, {}, reply.error().text()};
        std::vector<std::uint32_t> words(kOut);
        std::memcpy(words.data(), reinterpret_cast<const void*>(out), 4 * kOut);
        if (k > 0 && (words != ran.out || reply->result.counts->total.values != ran.counts.values))
            return {{}, {}, "launch " + std::to_string(k) + " differs from the first"};
        ran.out = std::move(words);
        ran.counts = reply->result.counts->total;
    }
    return ran;
}

engine::EngineOptions options(bool affine_off, const std::string& cpu = "") {
    engine::EngineOptions o;
    o.threads = 1;
    o.memory = std::uint64_t{1} << 28;
    o.affine_off = affine_off;
    o.cpu = cpu;
    return o;
}

void expect_same(const Ran& a, const Ran& b, const std::string& text) {
    ASSERT_EQ(a.error, "") << text;
    ASSERT_EQ(b.error, "") << text;
    EXPECT_TRUE(a.out == b.out) << text;
    for (unsigned k = 0; k < record::kCounts; ++k)
        EXPECT_EQ(a.counts.values[k], b.counts.values[k]) << record::count_key(static_cast<record::Count>(k)) << "\n"
                                                          << text;
    EXPECT_GT(a.counts[record::Count::instructions], 0u);
}

class Differential : public testing::TestWithParam<unsigned> {};

TEST_P(Differential, AffineAndIrregularAgree) {
    const auto seed = GetParam();
    const auto text = RandomKernel(seed).text();
    static const std::uint32_t shapes[][2] = {{32, 1}, {64, 1}, {16, 8}, {33, 1}, {7, 5}, {100, 1}};
    const auto* shape = shapes[seed % 6];
    const auto plain = run(text, options(false), 3, shape[0], shape[1]);
    expect_same(plain, run(text, options(true), 3, shape[0], shape[1]), "seed " + std::to_string(seed) + "\n" + text);
}

/// Converged code, which calls for the whole code when lanes come apart for good, against whole code from the start.
TEST_P(Differential, ConvergedAndWholeAgree) {
    const auto seed = GetParam();
    const auto text = RandomKernel(seed, Twist::leaving).text();
    static const std::uint32_t shapes[][2] = {{32, 1}, {64, 1}, {16, 8}, {96, 1}, {8, 4}};
    const auto* shape = shapes[seed % 5];
    auto whole = options(false), converged = options(false);
    whole.converged_from = ~0u;
    converged.converged_from = 0;
    expect_same(run(text, whole, 5, shape[0], shape[1]), run(text, converged, 5, shape[0], shape[1]),
                "seed " + std::to_string(seed) + "\n" + text);
}

TEST_P(Differential, AffineAndIrregularAgreeOnRegistersNeverWritten) {
    const auto seed = GetParam();
    const auto text = RandomKernel(seed + 1000, Twist::undefined).text();
    const auto plain = run(text, options(false), 3, 32, 2);
    expect_same(plain, run(text, options(true), 3, 32, 2), "seed " + std::to_string(seed) + "\n" + text);
}

/// Code that is quick to make against the best code, which takes its place while the kernel is launched again and
/// again.
TEST_P(Differential, QuickAndBestAgree) {
    const auto seed = GetParam();
    const auto text = RandomKernel(seed, seed % 2 ? Twist::leaving : Twist::none).text();
    static const std::uint32_t shapes[][2] = {{32, 1}, {64, 1}, {16, 8}, {33, 1}, {7, 5}, {100, 1}};
    const auto* shape = shapes[seed % 6];
    auto best = options(false), quick = options(false), both = options(false);
    best.quick_from = ~std::size_t{0};
    quick.quick_from = both.quick_from = 0;
    quick.better_after = -1;
    both.better_after = 0;
    const auto expected = run(text, best, 5, shape[0], shape[1]);
    expect_same(expected, run(text, quick, 5, shape[0], shape[1]), "quick, seed " + std::to_string(seed));
    if (seed % 10 != 1) return;
    expect_same(expected, run(text, both, 5, shape[0], shape[1], 300), "both, seed " + std::to_string(seed));
}

/// An index of 32 bits that wraps within the warp, widened and scaled by a scalar that is known when the kernel runs:
/// as a number in every lane, and as an address of the lanes before it wraps.
TEST(ScaledWidening, WrappedIndices) {
    const auto with = [](const std::string& widening, const std::string& type, const std::string& axis) {
        return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
               ".param .u32 n, .param .u32 m)\n{\n.reg .pred %p; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n"
               "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n"
               "mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.y; mad.lo.u32 %r4, %r4, %r5, %r3;\n"
               "mov.u32 %r5, " +
               axis + "; cvt.s64.s32 %rd3, %r1;\nadd.u32 %r6, %r2, %r5; cvt." + type + " %rd9, %r2;\n" + widening +
               "mul.wide.u32 %rd5, %r4, 8; add.s64 %rd5, %rd1, %rd5; st.global.u64 [%rd5], %rd4;\n"
               "mul.lo.s64 %rd6, %rd9, %rd3; sub.s64 %rd7, %rd4, %rd6; shl.b64 %rd7, %rd7, 2; add.s64 %rd7, %rd2, "
               "%rd7;\nsetp.ge.u32 %p, %r5, 13; @%p bra END;\n"
               "ld.global.u32 %r7, [%rd7]; xor.b32 %r7, %r7, 1; st.global.u32 [%rd5], %r7;\nEND: ret;\n}\n";
    };
    for (const std::string from : {"u32", "s32"})
        for (const std::string axis : {"%tid.x", "%tid.y"})
            for (const bool joined : {false, true}) {
                const std::string type = from == "u32" ? "u64.u32" : "s64.s32";
                const auto text = with(joined ? "mul.wide." + from + " %rd4, %r6, %r1;\n"
                                              : "cvt." + type + " %rd4, %r6; mul.lo.s64 %rd4, %rd4, %rd3;\n",
                                       type, axis);
                for (const std::uint32_t width : {8u, 16u, 32u}) {
                    const auto plain = run(text, options(false), 1, width, 512 / width);
                    expect_same(plain, run(text, options(true), 1, width, 512 / width), text);
                    for (std::uint32_t t = 0; t < 512; ++t) {
                        const std::uint32_t at = axis == "%tid.x" ? t % width : t / width, index = at - 16;
                        const std::int64_t wide =
                            from == "u32" ? std::int64_t{index} : std::int64_t{static_cast<std::int32_t>(index)};
                        const auto product = static_cast<std::uint64_t>(wide * 19);
                        const auto low = static_cast<std::uint32_t>(product);
                        ASSERT_EQ(plain.out[2 * t], at < 13 ? (at * 19 * 2654435761u) ^ 1 : low) << t << "\n" << text;
                        ASSERT_EQ(plain.out[2 * t + 1], static_cast<std::uint32_t>(product >> 32)) << t << "\n" << text;
                    }
                }
            }
}

/// Each lane has a row of its own, whose length the kernel is told: elements of all widths, rows forwards and
/// backwards, whole warps and parts; and the fault where the last row is not there.
TEST(Rows, AgreeWithIrregular) {
    const auto with = [](const std::string& type, unsigned bytes, const std::string& row, const std::string& part,
                         unsigned column) {
        const std::string r = bytes == 8 ? "%rd8" : bytes == 4 ? "%r8" : "%h1";
        return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
               ".param .u32 n, .param .u32 m)\n{\n.reg .pred %p; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 "
               "%rd<12>;\nld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n"
               "mov.u32 %r3, %tid.x; " +
               row + " mul.lo.s32 %r5, %r4, %r1; cvt.s64.s32 %rd3, %r5; mul.lo.s64 %rd3, %rd3, " +
               std::to_string(bytes) + ";\nadd.s64 %rd4, %rd2, %rd3; add.s64 %rd5, %rd1, %rd3;\n" + part +
               " @%p bra END;\nld.global." + type + " " + r + ", [%rd4+" + std::to_string(column * bytes) + "]; xor.b" +
               std::to_string(std::max(16u, 8 * bytes)) + " " + r + ", " + r + ", 5; st.global." + type + " [%rd5+" +
               std::to_string(column * bytes) + "], " + r + ";\nEND: ret;\n}\n";
    };
    // Rows of 19 elements, among kOut words; of 8 bytes, 13 rows at most lie within `in`.
    for (const auto& [type, bytes] : {std::pair{"u8", 1u}, {"u16", 2u}, {"u32", 4u}, {"u64", 8u}})
        for (const std::string row : {"rem.u32 %r4, %r3, 6;", "and.b32 %r4, %r3, 31; shr.u32 %r4, %r4, 3;",
                                      "mov.u32 %r4, %r3;", "sub.u32 %r4, 6, %r3;"})
            for (const std::string part :
                 {"setp.gt.u32 %p, %r3, 6;", "setp.ne.u32 %p, %r3, 3;",
                  "and.b32 %r6, %r3, 1; setp.ne.u32 %p, %r6, 0; setp.gt.or.u32 %p, %r3, 6, %p;"}) {
                const auto text = with(type, bytes, row, part, 2);
                expect_same(run(text, options(false), 1, 32, 1), run(text, options(true), 1, 32, 1), text);
            }
    for (const auto& [type, bytes] : {std::pair{"u8", 1u}, {"u16", 2u}, {"u32", 4u}, {"u64", 8u}})
        for (const std::string row : {"mov.u32 %r4, %r3;", "mul.lo.u32 %r4, %r3, 4;"}) {
            const auto text = with(type, bytes, row, "setp.gt.u32 %p, %r3, 40;", 0);
            const auto affine = run(text, options(false), 1, 32, 1), irregular = run(text, options(true), 1, 32, 1);
            EXPECT_EQ(affine.error, irregular.error) << text;
            EXPECT_EQ(affine.out, irregular.out) << text;
            EXPECT_EQ(affine.counts.values, irregular.counts.values) << text;
        }
}

/// Lanes go to A by two entries of the list, and none to B, which comes first: B is not run.
TEST(Multiway, EntriesThatLeadToOneBlock) {
    const auto with = [](const std::string& index) {
        return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
               ".param "
               ".u32 n, .param .u32 m)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, 5;\n" +
               index +
               "\nLIST: .branchtargets A, A, B;\nbrx.idx %r2, LIST;\n"
               "B: add.u32 %r3, %r3, 100;\n"
               "A: mad.lo.u32 %r3, %r1, 7, %r3; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
               "st.global.u32 [%rd2], %r3; ret;\n}\n";
    };
    const auto apart = run(with("and.b32 %r2, %r1, 1;"), options(true), 1, 32, 1);
    const auto together = run(with("shr.u32 %r2, %r1, 5;"), options(true), 1, 32, 1);
    ASSERT_EQ(apart.error + together.error, "");
    EXPECT_EQ(apart.counts[record::Count::instructions], together.counts[record::Count::instructions]);
    for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(apart.out[t], t * 7 + 5);
}

class Baseline : public testing::TestWithParam<unsigned> {};

TEST_P(Baseline, ThePlainestProcessorAgrees) {
    const auto plain = test::plainest_processor();
    const auto text = RandomKernel(GetParam()).text();
    expect_same(run(text, options(false), 2, 48, 2), run(text, options(false, plain), 2, 48, 2), text);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Differential, testing::Range(1u, 41u));
INSTANTIATE_TEST_SUITE_P(Seeds, Baseline, testing::Range(5u, 41u, 5u));

TEST(DiskCache, SecondEngineAgreesAndBrokenFilesAreSurvived) {
    const auto directory =
        std::filesystem::path(testing::TempDir()) / ("warpwright_engine_cache_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory);
    const auto text = RandomKernel(7).text();
    auto o = options(false);
    const auto without = run(text, o, 2, 40, 1);
    o.cache_directory = directory.string();
    const auto first = run(text, o, 2, 40, 1);
    expect_same(without, first, text);
    unsigned files = 0;
    if (std::filesystem::exists(directory))
        for (const auto& f : std::filesystem::recursive_directory_iterator(directory)) files += f.is_regular_file();
    EXPECT_GT(files, 0u);
    expect_same(first, run(text, o, 2, 40, 1), text);
    for (const auto* how : {"garbage", "cut", "empty"}) {
        for (const auto& f : std::filesystem::recursive_directory_iterator(directory)) {
            if (!f.is_regular_file()) continue;
            const auto size = f.file_size();
            if (how[0] == 'g') std::ofstream(f.path(), std::ios::binary) << std::string(size, 'x');
            if (how[0] == 'c') std::filesystem::resize_file(f.path(), size / 2);
            if (how[0] == 'e') std::filesystem::resize_file(f.path(), 0);
        }
        expect_same(first, run(text, o, 2, 40, 1), how);
    }
    std::filesystem::remove_all(directory);
}

/// How many pieces of host code running a kernel over blocks of 64 took: `n` threads of all do anything.
unsigned pieces_of_code(std::uint32_t limit) {
    std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
        "n, .param .u32 m)\n{\n"
        ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, " +
        std::to_string(limit) +
        ";\n@%p1 ret;\nld.param.u64 %rd1, [out];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n";
    for (int k = 0; k < 150; ++k) text += "mad.lo.u32 %r1, %r1, 5, 3;\nst.global.u32 [%rd1], %r1;\n";
    text += "ret;\n}\n";
    const auto directory =
        std::filesystem::path(testing::TempDir()) / ("warpwright_extent_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory);
    auto o = options(false);
    o.cache_directory = directory.string();
    const auto ran = run(text, o, 1, 64, 1);
    EXPECT_EQ(ran.error, "");
    unsigned files = 0;
    for (const auto& f : std::filesystem::recursive_directory_iterator(directory))
        files += f.path().extension() == ".host-code";
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i] != 0, i < limit) << i;
    std::filesystem::remove_all(directory);
    return files;
}

TEST(Extent, WholeCodeIsMadeOnlyWhenLanesComeApart) {
    EXPECT_EQ(pieces_of_code(64), 1u);
    EXPECT_EQ(pieces_of_code(32), 1u) << "a warp that leaves whole";
    EXPECT_EQ(pieces_of_code(45), 2u);
}

}  // namespace differential_test
