// Cooperative groups through the functions that compilers before CUDA 11 call.
#include "support.hpp"

namespace grid_groups_test {

using namespace device_tests;

const std::string kDeclarations =
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".extern .func (.param .b32 r) cudaCGGetRank(.param .b64 t, .param .b64 g, .param .b64 handle);\n"
    ".extern .func (.param .b32 r) cudaCGGetSize(.param .b64 t, .param .b64 g, .param .b64 handle);\n";

const std::string kHandle =
    "{ .param .b32 s; .param .b64 h; st.param.b32 [s], 1; call (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %rd10, "
    "[h]; }\n";
const std::string kSynchronize =
    "{ .param .b64 h; .param .b32 g; .param .b32 e; st.param.b64 [h], %rd10; st.param.b32 [g], 0;\n"
    "call (e), cudaCGSynchronize, (h, g); ld.param.b32 %r20, [e]; }\n";

warpwright::Result<LaunchResult> launch(Gpu& gpu, const std::string& body, Extent grid, Extent block, Address out,
                                        bool cooperative) {
    auto loaded = gpu.device->load("test.ptx", kHeader + kDeclarations + kernel("u64 out", body));
    if (!loaded) return loaded.error();
    LaunchConfig config;
    config.grid = grid, config.block = block, config.cooperative = cooperative;
    LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    return gpu.device->launch(**loaded, "k", config, parameters(out), options);
}

/// Each thread adds to its own word, and after the grid has met to the sum of its neighbour's block, three times.
TEST(GridGroups, TheWholeGridMeets) {
    constexpr unsigned kBlocks = 6, kThreads = 64, kAll = kBlocks * kThreads;
    for (unsigned threads : {1u, 3u}) {
        Gpu gpu(threads);
        const auto out = gpu.buffer(std::vector<std::uint32_t>(kAll));
        std::string body =
            index_into("out") + kHandle +
            // %rd3: the word of the thread a block further on, round the grid
            "add.u32 %r6, %r1, %r4; rem.u32 %r6, %r6, 384; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd1, "
            "%rd3;\nadd.u32 %r7, %r1, 1; st.global.u32 [%rd2], %r7;\n";
        for (int k = 0; k < 3; ++k)
            body += kSynchronize + "ld.volatile.global.u32 %r8, [%rd3];\n" + kSynchronize +
                    "add.u32 %r7, %r7, %r8; st.volatile.global.u32 [%rd2], %r7;\n";
        const auto r = launch(gpu, body, {kBlocks}, {kThreads}, out, true);
        ASSERT_TRUE(r.ok()) << r.error().text();
        std::vector<std::uint32_t> expected(kAll);
        for (unsigned i = 0; i < kAll; ++i) expected[i] = i + 1;
        for (int k = 0; k < 3; ++k) {
            auto next = expected;
            for (unsigned i = 0; i < kAll; ++i) next[i] += expected[(i + kThreads) % kAll];
            expected = next;
        }
        EXPECT_EQ(gpu.read<std::uint32_t>(out, kAll), expected);
    }
}

TEST(GridGroups, RankAndSizeAreTheGrids) {
    Gpu gpu;
    const auto out = gpu.buffer(std::vector<std::uint32_t>(4));
    const auto r =
        launch(gpu,
               "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.y; setp.ne.u32 %p1, %r1, 2; @%p1 ret;\n"
               "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 3; @%p1 ret;\n"
               "mov.u32 %r1, %ctaid.y; setp.ne.u32 %p1, %r1, 1; @%p1 ret;\n"
               "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 1; @%p1 ret;\n" +
                   kHandle +
                   "add.s64 %rd2, %rd1, 4; add.s64 %rd3, %rd1, 8; add.s64 %rd4, %rd1, 12;\n"
                   "{ .param .b64 t; .param .b64 g; .param .b64 h; .param .b32 e; st.param.b64 [t], %rd1; "
                   "st.param.b64 [g], %rd2; st.param.b64 [h], %rd10; call (e), cudaCGGetRank, (t, g, h); }\n"
                   "{ .param .b64 t; .param .b64 g; .param .b64 h; .param .b32 e; st.param.b64 [t], %rd3; "
                   "st.param.b64 [g], %rd4; st.param.b64 [h], %rd10; call (e), cudaCGGetSize, (t, g, h); }\n",
               {3, 2}, {8, 4}, out, true);
    ASSERT_TRUE(r.ok()) << r.error().text();
    // Block (1,1) is the fifth of 32 threads each, thread (3,2) its number 19.
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 4), (std::vector<std::uint32_t>{4 * 32 + 19, 0, 6 * 32, 1}));
}

TEST(GridGroups, AGridThatIsNotCooperativeHasNoHandle) {
    Gpu gpu;
    const auto out = gpu.buffer(std::vector<std::uint64_t>{7, 7});
    const auto r = launch(gpu,
                          "ld.param.u64 %rd1, [out];\n" + kHandle + "st.global.u64 [%rd1], %rd10;\n" + kSynchronize +
                              "st.global.u32 [%rd1+8], %r20;\n",
                          {2}, {32}, out, false);
    ASSERT_TRUE(r.ok()) << r.error().text();
    const auto words = gpu.read<std::uint64_t>(out, 2);
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[1], 1u);  // cudaErrorInvalidValue
}

}  // namespace grid_groups_test
