// The kernels of kernels/matmul_tensor on the emulated GPU: types, layouts, clusters, sizes that fill no tile. Small
// whole numbers, whose sums every accumulator holds exactly.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "values/element.hpp"

namespace warpwright {
namespace tensor_test {

struct Case {
    std::string source, entry, in, out;
    unsigned m, n, k;
    unsigned tile_m = 128, tile_n = 256, stages = 4, consumers = 2, cluster_m = 2, cluster_n = 1, panels = 2,
             ping_pong = 0;
    bool a_across = false, b_across = false;
    unsigned blocks = 0;  ///< 0: one for each tile
    std::vector<std::string> defines{};
    unsigned split_k = 1;
    bool tma_store = true;  ///< false: the grid is of tiles, in two dimensions
};

unsigned bytes(const std::string& type) {
    return type == "f32" || type == "i32" ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
}

std::uint32_t encode(const std::string& type, int v) {
    const float f = static_cast<float>(v);
    if (type == "f32") return __builtin_bit_cast(std::uint32_t, f);
    if (type == "i32" || type == "i8") return static_cast<std::uint32_t>(v);
    if (type == "f16") {
        std::uint16_t half = 0;
        values::store_element(values::Element::f16, reinterpret_cast<std::byte*>(&half), f);
        return half;
    }
    if (type == "bf16") {
        const auto bits = __builtin_bit_cast(std::uint32_t, f);
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
    if (v == 0) return 0;
    const int exponent = std::ilogb(f), mantissa_bits = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15;
    const auto mantissa =
        static_cast<std::uint32_t>(std::ldexp(std::abs(f), mantissa_bits - exponent)) & ((1u << mantissa_bits) - 1);
    return (v < 0 ? 0x80u : 0u) | static_cast<std::uint32_t>(exponent + bias) << mantissa_bits | mantissa;
}

void check(const Case& c) {
    SCOPED_TRACE(c.source + " " + c.in + " " + std::to_string(c.m) + " x " + std::to_string(c.n) + " x " +
                 std::to_string(c.k) + ", tiles " + std::to_string(c.tile_m) + " x " + std::to_string(c.tile_n) +
                 ", clusters " + std::to_string(c.cluster_m) + " x " + std::to_string(c.cluster_n) +
                 (c.ping_pong ? ", ping-pong" : "") + (c.a_across ? ", A across" : "") +
                 (c.b_across ? ", B across" : ""));
    compile::CompileRequest request;
    request.path = WARPWRIGHT_SOURCE_DIR "/kernels/matmul_tensor/" + c.source;
    request.arch = "sm_90a";
    request.defines = c.defines;
    for (const auto& [name, value] : {std::pair{"TILE_M", c.tile_m},
                                      {"TILE_N", c.tile_n},
                                      {"STAGES", c.stages},
                                      {"CONSUMERS", c.consumers},
                                      {"CLUSTER_M", c.cluster_m},
                                      {"CLUSTER_N", c.cluster_n},
                                      {"PANELS", c.panels},
                                      {"PING_PONG", c.ping_pong},
                                      {"A_ACROSS", unsigned{c.a_across}},
                                      {"B_ACROSS", unsigned{c.b_across}},
                                      {"SPLIT_K", c.split_k}})
        if (request.path.find("/04") == std::string::npos || std::string(name) != "TILE_M")
            request.defines.push_back(std::string(name) + "=" + std::to_string(value));
    request.defines.push_back("IN=" + c.in);

    compile::CompileOptions cached;
    cached.cache_dir = WARPWRIGHT_TEST_CACHE;
    auto ptx = compile::compile(request, cached);
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    auto gpu = device::make_emulated({});
    ASSERT_TRUE(gpu.ok()) << gpu.error().text();
    auto module = (*gpu)->load(c.source, ptx->ptx);
    ASSERT_TRUE(module.ok()) << module.error().text();

    const unsigned in = bytes(c.in), out = bytes(c.out), step = 128 / in;
    unsigned seed = 3;
    auto fill = [&](std::vector<int>& values, std::vector<std::uint8_t>& image, unsigned outer, bool across) {
        values.resize(outer * c.k);
        image.resize(values.size() * in);
        for (unsigned o = 0; o < outer; ++o)
            for (unsigned s = 0; s < c.k; ++s) {
                seed = seed * 1664525 + 1013904223;
                const auto e = encode(c.in, values[o * c.k + s] = static_cast<int>(seed >> 16) % 9 - 4);
                std::memcpy(&image[(across ? s * outer + o : o * c.k + s) * in], &e, in);
            }
    };
    std::vector<int> a, b;
    std::vector<std::uint8_t> a_image, b_image, c_image(c.m * c.n * out, 0x5a);
    fill(a, a_image, c.m, c.a_across);
    fill(b, b_image, c.n, c.b_across);
    auto buffer = [&](const std::vector<std::uint8_t>& image) {
        const auto at = (*gpu)->allocate(image.size()).value();
        EXPECT_TRUE((*gpu)->write(at, std::as_bytes(std::span(image))).ok());
        return at;
    };
    const auto at_a = buffer(a_image), at_b = buffer(b_image), at_c = buffer(c_image);
    std::vector<std::byte> parameters;
    auto map = [&](device::Address at, const std::string& type, std::uint64_t x, std::uint64_t y, unsigned box_x,
                   unsigned box_y) {
        const std::string kind = bytes(type) == 1 ? "u8" : type == "i32" ? "s32" : type;
        auto encoded = (*gpu)->tensor_maps()->encode_tensor_map(
            {at, kind, {x, y}, {x * bytes(type)}, {box_x, box_y}, {}, device::TensorMap::Swizzle::b128, false});
        ASSERT_TRUE(encoded.ok()) << encoded.error().text();
        parameters.insert(parameters.end(), encoded->begin(), encoded->end());
    };
    if (c.a_across)
        map(at_a, c.in, c.m, c.k, 64, step);
    else
        map(at_a, c.in, c.k, c.m, step, c.tile_m / c.cluster_n);
    if (c.b_across)
        map(at_b, c.in, c.n, c.k, 64, step);
    else
        map(at_b, c.in, c.k, c.n, step, c.tile_n / c.cluster_m);
    if (c.tma_store)
        map(at_c, c.out, c.n, c.m, 128 / out, 64);
    else
        parameters.insert(parameters.end(), reinterpret_cast<const std::byte*>(&at_c),
                          reinterpret_cast<const std::byte*>(&at_c + 1));
    const unsigned cluster = c.cluster_m * c.cluster_n * c.split_k, over_m = c.tile_m * c.cluster_m,
                   over_n = c.tile_n * c.cluster_n;
    if (c.blocks > 0 && c.entry == "matmul_stream_k") {
        const auto parts = buffer(std::vector<std::uint8_t>(std::size_t{c.blocks} * c.tile_m * c.tile_n * 4)),
                   flags = buffer(std::vector<std::uint8_t>(c.blocks * 8));
        for (const auto& at : {parts, flags})
            parameters.insert(parameters.end(), reinterpret_cast<const std::byte*>(&at),
                              reinterpret_cast<const std::byte*>(&at + 1));
    }
    const unsigned sizes[] = {c.m, c.n, c.k};
    parameters.insert(parameters.end(), reinterpret_cast<const std::byte*>(sizes),
                      reinterpret_cast<const std::byte*>(sizes + 3));

    device::LaunchConfig config;
    config.grid = {c.blocks ? c.blocks : (c.m + over_m - 1) / over_m * ((c.n + over_n - 1) / over_n) * cluster, 1, 1};
    if (!c.tma_store) config.grid = {(c.n + c.tile_n - 1) / c.tile_n, (c.m + c.tile_m - 1) / c.tile_m, 1};
    config.block = {c.entry == "matmul_wgmma_tma" ? 128 : 128 * (c.consumers + 1), 1, 1};
    if (c.tma_store) config.cluster = {cluster, 1, 1};
    config.dynamic_shared = c.stages * (c.tile_m + c.tile_n) * 128 + c.consumers * c.panels * 8192 + c.stages * 16 + 16;
    if (c.split_k > 1)
        config.dynamic_shared = c.stages * (c.tile_m + c.tile_n) * 128 +
                                2 * (c.tile_m * c.tile_n * 4 / c.split_k * (c.split_k - 1)) + c.stages * 16 +
                                c.consumers * 8;
    device::LaunchOptions options;
    options.timeout = std::chrono::minutes(10);  // most of it is compiling the kernel, slow on a busy machine
    auto result = (*gpu)->launch(**module, c.entry, config, parameters, options);
    ASSERT_TRUE(result.ok()) << result.error().text();
    ASSERT_TRUE((*gpu)->read(std::as_writable_bytes(std::span(c_image)), at_c).ok());
    unsigned bad = 0;
    for (unsigned i = 0; i < c.m; ++i)
        for (unsigned j = 0; j < c.n && bad < 5; ++j) {
            int sum = 0;
            for (unsigned s = 0; s < c.k; ++s) sum += a[i * c.k + s] * b[j * c.k + s];
            const auto want = encode(c.out, sum);
            std::uint32_t is = 0;
            std::memcpy(&is, &c_image[(i * c.n + j) * out], out);
            if (is != want) ++bad, ADD_FAILURE() << i << " " << j << ": " << std::hex << is << ", not " << want;
        }
}

const Case kPersistent{"07_persistent.cu", "matmul_persistent", "bf16", "bf16", 256, 256, 256};
Case with(Case c, auto&& change) {
    change(c);
    return c;
}

TEST(SplitK, PartsAndTypes) {
    const Case split{"08_split_k.cu", "matmul_split_k", "bf16", "bf16", 256, 256, 448, 128, 128, 5, 2, 1, 1};
    check(with(split, [&](Case& c) { c.split_k = 2; }));
    check(with(split, [&](Case& c) { c.split_k = 2, c.cluster_m = 2, c.m = 200, c.n = 136, c.k = 40; }));
    check(with(split, [&](Case& c) {
        c.split_k = 4, c.cluster_n = 2, c.tile_m = 64, c.tile_n = 256, c.consumers = 1, c.stages = 2;
    }));
    check(with(split, [&](Case& c) { c.split_k = 2, c.in = "i8", c.out = "i32", c.k = 1040; }));
}

TEST(SplitK, LongerThanTheRing) {
    const Case split{"08_split_k.cu", "matmul_split_k", "bf16", "bf16", 256, 256, 448, 128, 128, 5, 2, 1, 1};
    check(with(split, [&](Case& c) { c.split_k = 2, c.k = 904; }));
    check(with(split, [&](Case& c) { c.split_k = 2, c.in = c.out = "f32"; }));
}

TEST(StreamK, PartsOfTiles) {
    const Case stream{"09_stream_k.cu",
                      "matmul_stream_k",
                      "bf16",
                      "bf16",
                      512,
                      640,
                      448,
                      128,
                      128,
                      4,
                      2,
                      1,
                      2,
                      2,
                      1,
                      false,
                      false,
                      4};
    check(stream);
    // The same code twice: one tile in three parts, and more blocks than there is work for.
    check(with(stream, [&](Case& c) {
        c.in = "i8", c.out = "i32", c.cluster_n = 1, c.m = 128, c.n = 128, c.k = 1008, c.blocks = 3;
    }));
    check(with(stream, [&](Case& c) {
        c.in = "i8", c.out = "i32", c.cluster_n = 1, c.m = 100, c.n = 20, c.k = 256, c.blocks = 5;
    }));
}

TEST(WgmmaTma, LayoutsTypesAndEdges) {
    const Case one{"04_wgmma_tma.cu",
                   "matmul_wgmma_tma",
                   "bf16",
                   "bf16",
                   200,
                   136,
                   136,
                   128,
                   128,
                   4,
                   0,
                   1,
                   1,
                   0,
                   0,
                   false,
                   false,
                   0,
                   {},
                   1,
                   false};
    check(one);
    check(with(one, [&](Case& c) { c.a_across = c.b_across = true; }));
    check(with(one, [&](Case& c) { c.in = "i8", c.out = "i32", c.k = 400; }));
}

TEST(Specialised, TypesAndEdges) {
    const Case one{"05_specialised.cu",
                   "matmul_specialised",
                   "bf16",
                   "bf16",
                   200,
                   264,
                   600,
                   128,
                   256,
                   4,
                   2,
                   1,
                   1,
                   0,
                   0,
                   false,
                   false,
                   0,
                   {},
                   1,
                   false};
    check(one);
}

TEST(Cluster, ShapesAndEdges) {
    const Case one{"06_cluster.cu", "matmul_cluster", "bf16", "bf16", 400, 536, 600, 128, 256, 4, 2, 2, 1, 0};
    check(one);
    check(with(one, [&](Case& c) { c.in = "e4m3", c.cluster_m = 1, c.cluster_n = 2, c.k = 1200; }));
    check(with(one, [&](Case& c) { c.in = c.out = "f32", c.cluster_n = 2; }));
}

TEST(Persistent, Types) {
    // One of each width; the ladder's own configuration runs with every type (EveryRung).
    for (const auto& [in, out] : {std::pair{"bf16", "bf16"}, {"f32", "f32"}, {"e4m3", "bf16"}})
        check(with(kPersistent, [&](Case& c) { c.in = in, c.out = out; }));
}

TEST(Persistent, Layouts) {
    for (const bool a : {false, true})
        for (const bool b : {false, true}) {
            if (a == b)
                check(with(kPersistent, [&](Case& c) { c.a_across = a, c.b_across = b, c.k = 200; }));
            else
                check(with(kPersistent, [&](Case& c) {
                    c.a_across = a, c.b_across = b, c.tile_n = 128, c.cluster_m = 1, c.cluster_n = 2, c.k = 96;
                }));
        }
}

TEST(Persistent, SizesThatFillNoTile) {
    check(with(kPersistent, [&](Case& c) { c.m = 300, c.n = 328, c.k = 72, c.blocks = 4; }));
    check(with(kPersistent, [&](Case& c) { c.m = 1, c.n = 8, c.k = 8; }));
    check(with(kPersistent,
               [&](Case& c) { c.m = 513, c.n = 776, c.k = 136, c.ping_pong = 1, c.tile_n = 128, c.blocks = 4; }));
}

TEST(Persistent, ShapesOfTilesAndClusters) {
    check(with(kPersistent, [&](Case& c) {
        c.m = 1024, c.n = 512, c.tile_n = 64, c.stages = 8, c.cluster_n = 2, c.blocks = 8, c.panels = 1;
    }));
    check(with(kPersistent,
               [&](Case& c) { c.m = 512, c.n = 512, c.tile_m = 64, c.consumers = 1, c.cluster_m = 1, c.blocks = 3; }));
    check(with(kPersistent,
               [&](Case& c) { c.m = 512, c.n = 768, c.tile_m = 64, c.ping_pong = 1, c.blocks = 4, c.panels = 1; }));
    check(with(kPersistent, [&](Case& c) {
        c.m = 512, c.n = 768, c.ping_pong = 1, c.tile_n = 192, c.stages = 3, c.tile_m = 64, c.cluster_m = 1,
        c.blocks = 1;
    }));
}

}  // namespace tensor_test
}  // namespace warpwright
