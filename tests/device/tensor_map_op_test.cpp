// tensormap.replace and tensormap.cp_fenceproxy: a kernel puts another array into a map that it keeps in shared
// memory, publishes it in global memory and copies by it, as grouped matrix products do.
#include "support.hpp"

namespace tensor_map_op_test {

using namespace device_tests;
using ::testing::HasSubstr;
using warpwright::device::TensorMap;

/// Threads 0 to 63. The map of the parameter goes to shared memory, thread 0 executes `change` on it ([%r6], a 32-bit
/// shared address), the warp publishes it at `in`, and a tile of `bytes` is loaded by that one and shown in `out`.
std::string changed_map_kernel(const std::string& change, const std::string& dimensions, const std::string& coordinates,
                               unsigned bytes) {
    return kHeader + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)\n{\n" +
           kRegisters +
           R"(.shared .align 1024 .b8 tile[8192];
.shared .align 128 .b8 own[128];
.shared .align 8 .b64 bar;
mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r4, tile; mov.u32 %r6, own;
mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;
setp.ge.u32 %p2, %r1, 16;
@%p2 bra COPIED;
shl.b32 %r5, %r1, 3; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd3, %rd5; ld.b64 %rd7, [%rd6];
add.u32 %r7, %r6, %r5; st.shared.b64 [%r7], %rd7;
COPIED:
setp.ne.u32 %p1, %r1, 0;
bar.sync 0;
@%p1 bra CHANGED;
mbarrier.init.shared::cta.b64 [bar], 1;
)" + change +
           R"(
CHANGED:
bar.sync 0;
setp.ge.u32 %p3, %r1, 32;
@%p3 bra PUBLISHED;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r6], 128;
PUBLISHED:
bar.sync 0;
fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
@%p1 bra GO;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], )" +
           std::to_string(bytes) + ";\ncp.async.bulk.tensor." + dimensions +
           ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%rd1, " + coordinates + R"(], [bar];
GO:
mbarrier.try_wait.parity.shared::cta.b64 %p10, [bar], 0;
@!%p10 bra GO;
shl.b32 %r20, %r1, 2;
SHOW:
add.u32 %r21, %r4, %r20; ld.shared.u32 %r22, [%r21]; cvt.u64.u32 %rd20, %r20; add.s64 %rd20, %rd2, %rd20;
st.global.u32 [%rd20], %r22; add.u32 %r20, %r20, 256; setp.lt.u32 %p9, %r20, )" +
           std::to_string(bytes) + ";\n@%p9 bra SHOW;\nret;\n}\n";
}

std::string replace(const std::string& field, const std::string& type, const std::string& values) {
    return "tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [%r6], " + values + ";\n";
}

class TensorMapOp : public ::testing::Test {
protected:
    std::vector<std::byte> with(const TensorMap& map) {
        const auto encoded = gpu.device->tensor_maps()->encode_tensor_map(map).value();
        auto rest = parameters(scratch, out);
        std::vector<std::byte> all(encoded.begin(), encoded.end());
        all.insert(all.end(), rest.begin(), rest.end());
        return all;
    }
    /// The tile's words, loaded after `change`.
    std::vector<std::uint32_t> tile(const TensorMap& map, const std::string& change, const std::string& dimensions,
                                    const std::string& coordinates, unsigned bytes) {
        gpu.launch(changed_map_kernel(change, dimensions, coordinates, bytes), {1}, {64}, with(map));
        return gpu.read<std::uint32_t>(out, bytes / 4);
    }
    std::string error(const std::string& change) {
        auto r = gpu.try_launch(changed_map_kernel(change, "2d", "{0, 0}", 256), {1}, {64}, with(small));
        return r ? "fine" : r.error().text();
    }

    Gpu gpu;
    Address scratch = gpu.buffer(std::vector<std::uint32_t>(32)), out = gpu.buffer(std::vector<std::uint32_t>(2048));
    Address first = gpu.buffer(iota<std::uint32_t>(4096)), second = gpu.buffer(iota<std::uint32_t>(4096, 10000));
    TensorMap small{first, "u32", {16, 16}, {64}, {8, 8}, {}, TensorMap::Swizzle::none, false};
};

TEST_F(TensorMapOp, AnotherArrayOfAnotherShape) {
    // From 16 x 16 words of `first` to 40 rows of 32 of `second`, as grouped products do it for each of their problems.
    const auto v = tile(small,
                        "mov.u64 %rd9, " + std::to_string(second) + ";\n" + replace("global_address", "b64", "%rd9") +
                            "mov.u32 %r8, 32;\n" + replace("global_dim", "b32", "0, %r8") +
                            replace("global_dim", "b32", "1, 40") + replace("global_stride", "b64", "0, 128"),
                        "2d", "{24, 36}", 8 * 8 * 4);
    for (unsigned y = 0; y < 8; ++y)
        for (unsigned x = 0; x < 8; ++x)
            EXPECT_EQ(v[y * 8 + x], y < 4 ? 10000 + (36 + y) * 32 + 24 + x : 0u) << x << " " << y;
}

TEST_F(TensorMapOp, BoxesStepsRankAndSwizzle) {
    const auto v = tile(small,
                        replace("rank", "b32", "2") + replace("global_dim", "b32", "2, 4") +
                            replace("global_stride", "b64", "1, 1024") + replace("box_dim", "b32", "0, 8") +
                            replace("box_dim", "b32", "1, 4") + replace("box_dim", "b32", "2, 2") +
                            replace("element_stride", "b32", "1, 2") + replace("swizzle_mode", "b32", "1") +
                            replace("interleave_layout", "b32", "0") + replace("swizzle_atomicity", "b32", "0"),
                        "3d", "{8, 2, 1}", 8 * 2 * 2 * 4);
    unsigned row = 0;
    for (unsigned z = 1; z < 3; ++z)
        for (unsigned y = 2; y < 6; y += 2, ++row)
            for (unsigned x = 0; x < 8; ++x) {
                unsigned piece = (row * 32 + x * 4) / 16;
                piece ^= piece / 8 % 2;  // 32-byte swizzle
                EXPECT_EQ(v[piece * 4 + x % 4], z * 256 + y * 16 + 8 + x) << x << " " << y << " " << z;
            }
}

TEST_F(TensorMapOp, ElementTypeAndFill) {
    const auto v =
        tile(small,
             replace("elemtype", "b32", "7") + replace("fill_mode", "b32", "1") + replace("global_dim", "b32", "1, 3"),
             "2d", "{0, 0}", 8 * 8 * 4);
    EXPECT_EQ(v[2 * 8 + 1], 2u * 16 + 1);
    EXPECT_EQ(v[3 * 8], 0x7fffffffu) << "outside: a NaN";
}

/// Thread 0 sets all 128 bytes at %r6 to zero.
std::string blank() {
    std::string text;
    for (unsigned k = 0; k < 128; k += 8) text += "st.shared.b64 [%r6+" + std::to_string(k) + "], 0;\n";
    return text;
}

TEST_F(TensorMapOp, ABlankMapIsFilled) {
    // A map that no host made: the kernel writes every field of it, as Triton's tensor descriptors do.
    const std::string described = blank() + replace("global_address", "b64", "%rd9") + replace("rank", "b32", "1") +
                                  replace("box_dim", "b32", "0, 8") + replace("box_dim", "b32", "1, 4") +
                                  replace("global_dim", "b32", "0, 16") + replace("global_dim", "b32", "1, 256") +
                                  replace("global_stride", "b64", "0, 64") + replace("element_stride", "b32", "0, 1") +
                                  replace("element_stride", "b32", "1, 1") + replace("elemtype", "b32", "2") +
                                  replace("interleave_layout", "b32", "0") + replace("swizzle_mode", "b32", "0") +
                                  replace("fill_mode", "b32", "0");
    const auto address = "mov.u64 %rd9, " + std::to_string(second) + ";\n";
    const auto v = tile(small, address + described, "2d", "{4, 3}", 8 * 4 * 4);
    for (unsigned y = 0; y < 4; ++y)
        for (unsigned x = 0; x < 8; ++x) EXPECT_EQ(v[y * 8 + x], 10000 + (3 + y) * 16 + 4 + x) << x << " " << y;
    // Fields with the code 0 need no writing: one dimension, bytes, no swizzle.
    const std::string bytes = blank() + replace("global_address", "b64", "%rd9") + replace("box_dim", "b32", "0, 64") +
                              replace("global_dim", "b32", "0, 4096") + replace("element_stride", "b32", "0, 1");
    EXPECT_EQ(tile(small, address + bytes, "1d", "{32}", 64)[1], 10000u + 8 + 1);
    // One that cannot be 0 is missed by the copy.
    EXPECT_THAT(error(blank() + replace("rank", "b32", "1")), HasSubstr("the tensor map has no size"));
}

TEST_F(TensorMapOp, AMapInGlobalMemory) {
    // Generic and global addresses: the map that was published is changed again by thread 0 before the copy.
    const auto text = changed_map_kernel("", "2d", "{0, 0}", 256);
    auto changed = text;
    const std::string at = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
    changed.insert(changed.find(at), "@%p1 bra OTHER;\nmov.u64 %rd9, " + std::to_string(second) +
                                         ";\ntensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd9;\n"
                                         "tensormap.replace.tile.global_dim.b1024.b32 [%rd1], 1, 2;\nOTHER:\n");
    gpu.launch(changed, {1}, {64}, with(small));
    const auto v = gpu.read<std::uint32_t>(out, 64);
    EXPECT_EQ(v[8 + 1], 10000u + 16 + 1);
    EXPECT_EQ(v[16], 0u);
}

TEST_F(TensorMapOp, NothingThatIsWrittenIsTrusted) {
    // A number that no map can have is refused where it is written, or by the copy.
    for (const auto& [field, type, values] : {std::tuple{"rank", "b32", "7"},
                                              {"box_dim", "b32", "0, 4096"},
                                              {"box_dim", "b32", "0, 0"},
                                              {"element_stride", "b32", "0, 256"},
                                              {"element_stride", "b32", "1, 0"}})
        EXPECT_THAT(error(replace(field, type, values)), HasSubstr("no tensor map can have")) << field << values;
    EXPECT_THAT(error("mov.u64 %rd9, 16;\n" + replace("global_address", "b64", "%rd9")), HasSubstr("out-of-bounds"));
    EXPECT_THAT(error("add.u32 %r6, %r6, 16;\n" + replace("rank", "b32", "1")), HasSubstr("is not aligned"));
    EXPECT_THAT(error("mov.u32 %r6, 0x100000;\n" + replace("rank", "b32", "1")), HasSubstr("shared memory"));
    EXPECT_THAT(error("mov.u32 %r6, tile;\nst.shared.u32 [%r6+8], 1;\n" + replace("rank", "b32", "1")),
                HasSubstr("is not a tensor map"));
    EXPECT_THAT(error("tensormap.replace.tile.rank.global.b1024.b32 [%rd9], 1;\n"), HasSubstr("not in device memory"));
}

TEST_F(TensorMapOp, AMapInTheParametersIsOnlyRead) {
    EXPECT_THAT(error("tensormap.replace.tile.rank.global.b1024.b32 [%rd3], 1;\n"),
                HasSubstr("which kernels only read"));
}

TEST_F(TensorMapOp, PrefetchingAsksForAMap) {
    const std::string addresses = "prefetch.tensormap [%rd3];\nprefetch.param.tensormap [%rd3];\n";
    EXPECT_EQ(tile(small, addresses, "2d", "{0, 0}", 256)[9], 17u);
    EXPECT_THAT(error("prefetch.tensormap [%rd2];\n"), HasSubstr("is not a tensor map of this device"));
    EXPECT_THAT(error("prefetch.tensormap [%rd3+8];\n"), HasSubstr("is not aligned to 64 bytes"));
    EXPECT_THAT(error("mov.u64 %rd9, 4096;\nprefetch.tensormap [%rd9];\n"), HasSubstr("is not in device memory"));
}

TEST_F(TensorMapOp, WhatIsNotExecutedIsALocatedError) {
    EXPECT_THAT(error(replace("elemtype", "b32", "13")), HasSubstr("test.ptx:"));
    for (const auto& [field, type, values] : {std::tuple{"elemtype", "b32", "8"},
                                              {"elemtype", "b32", "%r8"},
                                              {"interleave_layout", "b32", "1"},
                                              {"swizzle_mode", "b32", "4"},
                                              {"swizzle_atomicity", "b32", "1"},
                                              {"fill_mode", "b32", "2"},
                                              {"box_dim", "b32", "5, 1"},
                                              {"global_stride", "b64", "4, 16"},
                                              {"box_dim", "b32", "%r8, 1"},
                                              {"global_address", "b32", "%r8"},
                                              {"rank", "b64", "%rd9"},
                                              {"rank", "b32", "0, 1"}})
        EXPECT_THAT(error(replace(field, type, values)), HasSubstr("tensormap.replace")) << field << " " << values;
    EXPECT_THAT(error("tensormap.replace.tile.b1024.b32 [%r6], 1;\n"), HasSubstr("names no field"));
}

}  // namespace tensor_map_op_test
