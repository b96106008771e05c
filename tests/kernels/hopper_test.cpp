// Kernels for Hopper written in CUDA C++ with inline PTX, through the compile room, on the emulated GPU.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"

namespace warpwright {
namespace hopper_test {

TEST(Hopper, ProductThroughTensorMapsMbarriersAndWgmma) {
    compile::CompileRequest request;
    request.path = WARPWRIGHT_SOURCE_DIR "/tests/kernels/hopper_product.cu";
    request.arch = "sm_90a";
    auto ptx = compile::compile(request);
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    auto gpu = device::make_emulated({});
    ASSERT_TRUE(gpu.ok()) << gpu.error().text();
    auto module = (*gpu)->load("hopper_product.cu", ptx->ptx);
    ASSERT_TRUE(module.ok()) << module.error().text();
    const unsigned k = 320;
    std::vector<std::uint16_t> a(64 * k), b(64 * k);
    std::vector<double> av(a.size()), bv(b.size());
    unsigned seed = 3;
    auto fill = [&](std::vector<std::uint16_t>& bits, std::vector<double>& values) {
        for (std::size_t i = 0; i < bits.size(); ++i) {
            seed = seed * 1664525 + 1013904223;
            const float x = static_cast<float>(static_cast<int>(seed >> 16) % 2001 - 1000) / 1000;
            bits[i] = static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, x) >> 16);
            values[i] = __builtin_bit_cast(float, std::uint32_t{bits[i]} << 16);
        }
    };
    fill(a, av);
    fill(b, bv);
    auto buffer = [&](const auto& values) {
        const auto at = (*gpu)->allocate(values.size() * sizeof(values[0])).value();
        EXPECT_TRUE((*gpu)->write(at, std::as_bytes(std::span(values))).ok());
        return at;
    };
    const auto at_a = buffer(a), at_b = buffer(b), out = buffer(std::vector<float>(64 * 64));
    std::vector<std::byte> maps;
    for (auto at : {at_a, at_b}) {
        auto map = (*gpu)->tensor_maps()->encode_tensor_map(
            {at, "bf16", {k, 64}, {k * 2}, {64, 64}, {}, device::TensorMap::Swizzle::b128, false});
        ASSERT_TRUE(map.ok()) << map.error().text();
        maps.insert(maps.end(), map->begin(), map->end());
    }
    const auto at_maps = buffer(maps);
    std::vector<std::byte> parameters(20);
    const int steps = k / 64;
    std::memcpy(parameters.data(), &at_maps, 8);
    std::memcpy(parameters.data() + 8, &out, 8);
    std::memcpy(parameters.data() + 16, &steps, 4);
    device::LaunchConfig config;
    config.block = {128, 1, 1};
    config.dynamic_shared = 32768 + 16;
    device::LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    auto result = (*gpu)->launch(**module, "product", config, parameters, options);
    ASSERT_TRUE(result.ok()) << result.error().text();
    std::vector<float> c(64 * 64);
    ASSERT_TRUE((*gpu)->read(std::as_writable_bytes(std::span(c)), out).ok());
    for (unsigned i = 0; i < 64; ++i)
        for (unsigned j = 0; j < 64; ++j) {
            double sum = 0, size = 0;
            for (unsigned s = 0; s < k; ++s)
                sum += av[i * k + s] * bv[j * k + s], size += std::abs(av[i * k + s] * bv[j * k + s]);
            // 20 instructions, each cuts less than 2^-23 of what it has added.
            ASSERT_NEAR(c[i * 64 + j], sum, size * 20 * 0x1p-23) << i << " " << j;
        }
}

}  // namespace hopper_test
}  // namespace warpwright
