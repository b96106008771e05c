// A CUDA device over the driver that is made up, with a kernel loaded: what the tests of the CUDA device start from.
#pragma once

#include <gmock/gmock.h>

#include <cstring>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/info.hpp"
#include "fake_driver.hpp"

namespace device_tests::cuda_device {

using namespace warpwright;
using namespace warpwright::device;
using ::testing::AllOf;
using ::testing::HasSubstr;
using A = cuda::DeviceAttribute;

inline const std::string kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u8 flag, .param .f32 scale) { .loc 1 2 3
 ret; }
)";

inline std::unique_ptr<Device> make(std::shared_ptr<const cuda::Driver> driver, std::string cache = "") {
    fake().parameter_sizes = {8, 1, 4};
    auto device = make_cuda({0, std::move(cache), std::move(driver)});
    EXPECT_TRUE(device.ok()) << device.error().text();
    return std::move(*device);
}

/// out = 0x1122334455667788, flag = 7, scale = 1.5f, as the ABI lays them out.
inline std::vector<std::byte> block() {
    std::vector<std::byte> out(16, std::byte{0xee});
    const std::uint64_t pointer = 0x1122334455667788;
    const float scale = 1.5f;
    std::memcpy(out.data(), &pointer, 8);
    out[8] = std::byte{7};
    std::memcpy(out.data() + 12, &scale, 4);
    return out;
}

struct Loaded {
    std::unique_ptr<Device> device;
    std::shared_ptr<Module> module;
    Result<LaunchResult> launch(LaunchConfig config = {{2, 3, 4}, {32, 2, 1}}, LaunchOptions options = {}) {
        return device->launch(*module, "k", config, block(), options);
    }
};

inline Loaded loaded(bool modern = true) {
    Loaded l{make(fake_driver(modern)), nullptr};
    auto module = l.device->load("k.ptx", kPtx);
    EXPECT_TRUE(module.ok()) << module.error().text();
    l.module = *module;
    return l;
}

}  // namespace device_tests::cuda_device
