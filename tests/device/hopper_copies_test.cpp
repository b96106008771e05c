// Bulk copies and tensor copies: every direction, swizzles, what lies outside, multicast, reductions, faults, counts.
#include "support.hpp"

namespace hopper_copies_test {

using namespace device_tests;
using ::testing::HasSubstr;
using warpwright::device::TensorMap;

const std::string kWait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p10, [bar], 0;\n@!%p10 bra W;\n";

std::string copy_kernel(const std::string& body) {
    return kHeader +
           ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out, .param .u32 x, .param "
           ".u32 y)\n{\n" +
           kRegisters +
           ".shared .align 1024 .b8 tile[8192];\n.shared .align 8 .b64 bar;\n"
           "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r2, [x]; "
           "ld.param.u32 %r3, [y]; mov.u32 %r4, tile;\n"
           "mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;\n"
           "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\nmbarrier.init.shared::cta.b64 [bar], 1;\nREADY:\nbar.sync 0;\n" +
           body + "\nret;\n}\n";
}

struct Map {
    std::array<std::byte, 128> bytes{};
};
std::vector<std::byte> with(const Map& map, Address in, Address out, unsigned x = 0, unsigned y = 0) {
    auto rest = parameters(in, out, x, y);
    std::vector<std::byte> all(map.bytes.begin(), map.bytes.end());
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}

/// The tile as it lies in shared memory, to `out`: 64 threads, 32 words each at most.
std::string show(unsigned bytes) {
    return "shl.b32 %r20, %r1, 2; SHOW: add.u32 %r21, %r4, %r20; ld.shared.u32 %r22, [%r21]; cvt.u64.u32 %rd20, %r20; "
           "add.s64 %rd20, %rd2, %rd20;\n"
           "st.global.u32 [%rd20], %r22; add.u32 %r20, %r20, 256; setp.lt.u32 %p9, %r20, " +
           std::to_string(bytes) + ";\n@%p9 bra SHOW;\n";
}

TEST(BulkCopy, ThereAndBack) {
    for (const unsigned threads : {1u, 2u, 4u}) {
        Gpu gpu(threads);
        auto in = gpu.buffer(iota<std::uint32_t>(1024)), out = gpu.buffer(std::vector<std::uint32_t>(1024));
        const auto counts = gpu.counts(copy_kernel(R"(
@%p1 bra GO;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 1024, [bar];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r4+1024], [%rd1+1024], 3072, [bar], %rd9;
GO:
)" + kWait + R"(
shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; ld.shared.u32 %r6, [%r5]; add.u32 %r6, %r6, 1000000; st.shared.u32 [%r5], %r6;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra END;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r4], 4096;
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2+2048], [%r4+2048], 64;
cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd2+2112], [%r4], 32;
cp.async.bulk.prefetch.L2.global [%rd1], 512;
END:)"),
                                       {1}, {64}, with({}, in, out));
        const auto v = gpu.read<std::uint32_t>(out, 1024);
        for (unsigned i = 0; i < 1024; ++i) {
            unsigned want = i + (i < 64 ? 1000000 : 0);
            if (i >= 512 && i < 528) want *= 2;
            if (i >= 528 && i < 536) want = std::max(i, i - 528 + 1000000);
            EXPECT_EQ(v[i], want) << i;
        }
        EXPECT_EQ(counts[Count::global_load_sectors], 128u);
        EXPECT_EQ(counts[Count::global_store_sectors], 128u + 2 + 1);
        EXPECT_EQ(counts[Count::global_load_requests], 0u);
    }
}

TEST(BulkCopy, ToAnotherBlock) {
    Gpu gpu;
    auto in = gpu.buffer(iota<std::uint32_t>(256)), out = gpu.buffer(std::vector<std::uint32_t>(2 * 64));
    gpu.launch(copy_kernel(R"(
mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;
shl.b32 %r7, %r1, 2; add.u32 %r7, %r4, %r7; mad.lo.u32 %r8, %r5, 1000, %r1; st.shared.u32 [%r7], %r8;
mov.u32 %r9, bar; mapa.shared::cluster.u32 %r10, %r9, %r6; add.u32 %r11, %r4, 512; mapa.shared::cluster.u32 %r11, %r11, %r6;
@%p1 bra ARMED;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
ARMED:
barrier.cluster.arrive; barrier.cluster.wait;
@%p1 bra GO;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [%r4], 256, [%r10];
GO:
)" + kWait + R"(
ld.shared.u32 %r12, [%r7+512]; mad.lo.u32 %r13, %r5, 64, %r1; mul.wide.u32 %rd4, %r13, 4; add.s64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r12;
barrier.cluster.arrive; barrier.cluster.wait;)"),
               {2}, {64}, with({}, in, out), {}, 0, {2, 1, 1});
    const auto v = gpu.read<std::uint32_t>(out, 128);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(v[i], (i < 64 ? 1000 : 0) + i % 64);
}

TEST(BulkCopy, Faults) {
    Gpu gpu;
    auto in = gpu.buffer(iota<std::uint32_t>(256));
    auto fault = [&](const std::string& what) {
        auto r = gpu.try_launch(
            copy_kernel("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes " + what + ", [bar];"), {1},
            {1}, with({}, in, in));
        return r ? std::string("no error") : r.error().text();
    };
    EXPECT_THAT(fault("[%r4], [%rd1], 24"), HasSubstr("no multiple of 16"));
    EXPECT_THAT(fault("[%r4+8], [%rd1], 32"), HasSubstr("target at 0x8 is not aligned"));
    EXPECT_THAT(fault("[%r4], [%rd1+4], 32"), HasSubstr("is not aligned to 16 bytes"));
    EXPECT_THAT(fault("[%r4], [%rd1+16], 1024"), HasSubstr("past the end of an allocation of 1024"));
    EXPECT_THAT(fault("[%r4+8176], [%rd1], 64"), HasSubstr("out of bounds: the block has 8200"));
    auto r = gpu.try_launch(
        copy_kernel("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 32, [bar];\n" +
                    kWait),
        {1}, {1}, with({}, in, in));
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("lacks 0 of 1 arrivals and 32 bytes"));
}

class TensorCopy : public ::testing::Test {
protected:
    Map map(Address at, const std::string& type, std::vector<std::uint64_t> size, std::vector<std::uint64_t> stride,
            std::vector<std::uint32_t> box, TensorMap::Swizzle swizzle = TensorMap::Swizzle::none,
            std::vector<std::uint32_t> step = {}, bool nan = false) {
        TensorMap m{at, type, std::move(size), std::move(stride), std::move(box), std::move(step), swizzle, nan};
        auto encoded = gpu.device->tensor_maps()->encode_tensor_map(m);
        if (!encoded) {
            ADD_FAILURE() << encoded.error().text();
            return {};
        }
        return {*encoded};
    }
    Gpu gpu{2};
};

std::string load_tile(unsigned bytes, const std::string& dimensions, const std::string& coordinates) {
    return "@%p1 bra GO;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + std::to_string(bytes) +
           ";\ncp.async.bulk.tensor." + dimensions +
           ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%rd3, " + coordinates +
           "], [bar];\nGO:\n" + kWait + show(bytes);
}

TEST_F(TensorCopy, SwizzlesAndTheOutside) {
    // 50 rows of 40 floats; boxes of 16 rows; every swizzle; inside, and over each edge.
    const unsigned height = 50, width = 40;
    auto in = gpu.buffer(iota<std::uint32_t>(height * width, 1));
    using S = TensorMap::Swizzle;
    for (const auto& [swizzle, columns] : {std::pair{S::none, 24u}, {S::b32, 8u}, {S::b64, 16u}, {S::b128, 32u}})
        for (const auto& [x, y] : {std::pair{0, 0}, {8, 16}, {-4, -3}, {28, 44}, {100, 0}}) {
            const unsigned bytes = 16 * columns * 4;
            auto out = gpu.buffer(std::vector<std::uint32_t>(bytes / 4));
            gpu.launch(copy_kernel(load_tile(bytes, "2d", "{%r2, %r3}")), {1}, {64},
                       with(map(in, "u32", {width, height}, {width * 4}, {columns, 16}, swizzle), in, out,
                            static_cast<unsigned>(x), static_cast<unsigned>(y)));
            const auto v = gpu.read<std::uint32_t>(out, bytes / 4);
            for (unsigned r = 0; r < 16; ++r)
                for (unsigned k = 0; k < columns; ++k) {
                    const int gx = x + static_cast<int>(k), gy = y + static_cast<int>(r);
                    const bool inside =
                        gx >= 0 && gy >= 0 && gx < static_cast<int>(width) && gy < static_cast<int>(height);
                    unsigned piece = (r * columns * 4 + k * 4) / 16;  // of 16 bytes; eight a line of 128 bytes
                    const unsigned line = piece / 8;
                    if (swizzle == S::b128) piece ^= line % 8;
                    if (swizzle == S::b64) piece ^= line % 4;
                    if (swizzle == S::b32) piece ^= line % 2;
                    ASSERT_EQ(v[piece * 4 + k % 4],
                              inside ? static_cast<unsigned>(gy) * width + static_cast<unsigned>(gx) + 1 : 0u)
                        << x << " " << y << " " << r << " " << k << " swizzle " << static_cast<int>(swizzle);
                }
        }
}

TEST_F(TensorCopy, FiveDimensionsAndSteps) {
    // Halves, 3 x 4 x 5 x 3 rows of 32; every second of dimension 1 and every third element of none.
    const std::uint64_t n[5] = {32, 3, 4, 5, 3};
    std::vector<std::uint16_t> data(n[0] * n[1] * n[2] * n[3] * n[4]);
    std::iota(data.begin(), data.end(), std::uint16_t{1});
    auto in = gpu.buffer(data);
    auto out = gpu.buffer(std::vector<std::uint32_t>(1024));
    const unsigned elements = 8 * 2 * 2 * 2 * 2;
    gpu.launch(
        copy_kernel("mov.u32 %r5, 1; mov.u32 %r6, 2;\n" + load_tile(elements * 2, "5d", "{%r2, %r3, %r5, %r6, %r5}")),
        {1}, {64},
        with(map(in, "f16", {n[0], n[1], n[2], n[3], n[4]}, {64, 64 * 3, 64 * 12, 64 * 60}, {8, 3, 2, 2, 2},
                 TensorMap::Swizzle::none, {1, 2, 1, 1, 1}),
             in, out, 8, 1));
    const auto v = gpu.read<std::uint16_t>(out, elements);
    unsigned at = 0;
    for (unsigned e = 1; e < 3; ++e)
        for (unsigned d = 2; d < 4; ++d)
            for (unsigned c = 1; c < 3; ++c)
                for (unsigned b = 1; b < 5; b += 2)
                    for (unsigned a = 8; a < 16; ++a, ++at)
                        ASSERT_EQ(v[at], b < 3 ? a + 32 * (b + 3 * (c + 4 * (d + 5 * e))) + 1 : 0u) << at;
}

TEST_F(TensorCopy, StoresAndReductionsStayInside) {
    const unsigned width = 20, height = 10;
    auto in = gpu.buffer(std::vector<float>(width * height, 0.5f));
    auto kernel = [&](const std::string& what) {
        return copy_kernel(
            "mov.u32 %r20, %r1; FILL: shl.b32 %r21, %r20, 2; add.u32 %r21, %r4, %r21; cvt.rn.f32.u32 %f1, %r20; "
            "st.shared.f32 [%r21], %f1; add.u32 %r20, %r20, 64;\n"
            "setp.lt.u32 %p2, %r20, 128;\n@%p2 bra FILL;\nfence.proxy.async;\nbar.sync 0;\n@%p1 bra END;\n" +
            what + ".2d.global.shared::cta" + (what.find("reduce") != std::string::npos ? ".add" : "") +
            ".tile.bulk_group [%rd3, {%r2, %r3}], [%r4];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group "
            "0;\nEND:\n");
    };
    const auto m = map(in, "f32", {width, height}, {width * 4}, {16, 8}, TensorMap::Swizzle::b64);
    const auto counts = gpu.counts(kernel("cp.async.bulk.tensor"), {1}, {64}, with(m, in, in, 8, 4));
    gpu.launch(kernel("cp.reduce.async.bulk.tensor"), {3}, {64}, with(m, in, in, static_cast<unsigned>(-4), 6));
    const auto v = gpu.read<float>(in, width * height);
    auto tile = [](unsigned r, unsigned k) {
        const unsigned place = r * 64 + k * 4, piece = place / 16 ^ (place / 128 & 3);
        return static_cast<float>(piece * 4 + k % 4);
    };
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            float want = x >= 8 && y >= 4 ? tile(y - 4, x - 8) : 0.5f;
            if (x < 12 && y >= 6) want += 3 * tile(y - 6, x + 4);
            ASSERT_EQ(v[y * width + x], want) << x << " " << y;
        }
    // Six rows of 48 bytes that start 32 bytes into an 80-byte pitch.
    std::uint64_t sectors = 0;
    for (unsigned y = 4; y < 10; ++y) sectors += (y * 80 + 79) / 32 - (y * 80 + 32) / 32 + 1;
    EXPECT_EQ(counts[Count::global_store_sectors], sectors);
}

TEST_F(TensorCopy, BoxesBeginAtMultiplesOf16Bytes) {
    // As on hardware, whatever the type, the swizzle or the edge; along other dimensions a box may begin anywhere.
    auto in = gpu.buffer(iota<std::uint32_t>(64 * 64)), out = gpu.buffer(std::vector<std::uint32_t>(256));
    const auto fault = [&](const Map& m, int x) {
        auto r = gpu.try_launch(copy_kernel(load_tile(1024, "2d", "{%r2, %r3}")), {1}, {64},
                                with(m, in, out, static_cast<unsigned>(x), 3u));
        return r ? std::string() : r.error().text();
    };
    const auto words = map(in, "u32", {64, 64}, {256}, {16, 16}),
               halves = map(in, "u16", {128, 64}, {256}, {32, 16}, TensorMap::Swizzle::b64);
    for (int x : {-8, 0, 4, 60, 64}) EXPECT_EQ(fault(words, x), "") << x;
    EXPECT_EQ(fault(halves, 8), "");
    EXPECT_THAT(fault(words, 58),
                HasSubstr("the box begins at element 58 of a row, 232 bytes into it: no multiple of 16"));
    EXPECT_THAT(fault(words, -3), HasSubstr("at element -3 of a row, -12 bytes"));
    EXPECT_THAT(fault(halves, 4), HasSubstr("8 bytes into it"));
}

TEST_F(TensorCopy, Multicast) {
    // Each of four blocks loads 128 bytes for all of them.
    auto in = gpu.buffer(iota<std::uint32_t>(1024)), out = gpu.buffer(std::vector<std::uint32_t>(4 * 128));
    const auto result = gpu.launch(copy_kernel(R"(
mov.u32 %r5, %cluster_ctarank; mov.u16 %h1, 15;
@%p1 bra ARMED;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
ARMED:
barrier.cluster.arrive; barrier.cluster.wait;
shl.b32 %r6, %r5, 7; add.u32 %r7, %r4, %r6; shl.b32 %r8, %r5, 5;
@%p1 bra GO;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%rd3, {%r8}], [bar], %h1;
GO:
)" + kWait + R"(
shl.b32 %r9, %r1, 2; add.u32 %r9, %r4, %r9; ld.shared.u32 %r10, [%r9]; mad.lo.u32 %r11, %r5, 128, %r1; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd4, %rd2, %rd4;
st.global.u32 [%rd4], %r10;
barrier.cluster.arrive; barrier.cluster.wait;)"),
                                   {4}, {128}, with(map(in, "u32", {1024}, {}, {32}), in, out), {}, 0, {4, 1, 1});
    const auto v = gpu.read<std::uint32_t>(out, 4 * 128);
    for (unsigned i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], i % 128);
    ASSERT_TRUE(result.counts);
    EXPECT_EQ(result.counts->total[Count::global_load_sectors], 16u);
}

TEST_F(TensorCopy, MapsAreChecked) {
    auto in = gpu.buffer(iota<std::uint32_t>(4096));
    auto wrong = [&](TensorMap m) {
        auto r = gpu.device->tensor_maps()->encode_tensor_map(m);
        return r ? std::string("fine") : r.error().text();
    };
    TensorMap good{in, "f32", {64, 64}, {256}, {32, 8}, {}, TensorMap::Swizzle::b128, false};
    EXPECT_EQ(wrong(good), "fine");
    auto m = good;
    m.box = {64, 8};
    EXPECT_THAT(wrong(m), HasSubstr("more than the swizzle's 128"));
    m = good, m.stride = {250};
    EXPECT_THAT(wrong(m), HasSubstr("multiple of 16"));
    m = good, m.box = {31, 8};
    EXPECT_THAT(wrong(m), HasSubstr("multiple of 16"));
    m = good, m.box = {32, 257};
    EXPECT_THAT(wrong(m), HasSubstr("between 1 and 256"));
    m = good, m.address += 8;
    EXPECT_THAT(wrong(m), HasSubstr("aligned"));
    m = good, m.type = "f8";
    EXPECT_THAT(wrong(m), HasSubstr("not an element type"));
    auto r = gpu.try_launch(copy_kernel(load_tile(1024, "2d", "{%r2, %r3}")), {1}, {64}, with({}, in, in));
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("not a tensor map of this device"));
    m = good, m.size = {64, 65};
    const Map past{*gpu.device->tensor_maps()->encode_tensor_map(m)};
    r = gpu.try_launch(copy_kernel(load_tile(1024, "2d", "{%r2, %r3}")), {1}, {64}, with(past, in, in, 0, 60));
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("out-of-bounds global load of 128 bytes"));
}

}  // namespace hopper_copies_test
