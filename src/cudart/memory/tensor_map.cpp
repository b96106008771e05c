// Descriptions for tiles and for image-to-column copies differ only in the box, so one function encodes both. The
// results are the driver's numbers, because only the driver library has these entry points.
#include "cudart/memory/tensor_map.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "cudart/memory/host_tensors.hpp"
#include "cudart/memory/pageable.hpp"
#include "cudart/state/runtime.hpp"
#include "device/host_sharing.hpp"

namespace warpwright::cudart {

namespace {

constexpr int kInvalid = 1, kNotInitialized = 3, kNotSupported = 801;

/// Encodes a description to which its caller has added the box.
int encode(void* to, const TensorArray& a, device::TensorMap m) {
    constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "s32", "u64",  "s64", "f16",
                                      "f32", "f64", "bf16", "f32", "tf32", "tf32"};
    constexpr unsigned kFetch[] = {0, 64, 128, 256};
    auto& runtime = Runtime::get();
    if (!runtime.device()) return kNotInitialized;
    if (a.interleave != 0 || a.swizzle > 3) {
        runtime.say(
            "tensor maps: interleaved layouts and swizzles of other atoms are not supported by the emulated "
            "GPU");
        return kNotSupported;
    }
    m.address = reinterpret_cast<device::Address>(a.address);
    // A tensor of the host's, by its own address.
    if (!runtime.device()->host_sharing()->allocation(m.address) || is_pageable(a.address, 1)) {
        HostTensors::get().stop();
        (void)reach_pageable(a.address);
    }
    m.type = kTypes[a.type];
    m.size.assign(a.sizes, a.sizes + a.rank);
    m.stride.assign(a.strides, a.strides + (a.rank - 1));
    if (a.steps) m.step.assign(a.steps, a.steps + a.rank);
    m.swizzle = static_cast<device::TensorMap::Swizzle>(a.swizzle);
    m.fill_nan = a.fill == 1;
    m.fetch = kFetch[a.promotion];
    auto encoded = runtime.device()->tensor_maps()->encode_tensor_map(m);
    if (!encoded) {
        runtime.say(encoded.error());
        return kInvalid;
    }
    std::memcpy(to, encoded->data(), encoded->size());
    return 0;
}

bool possible(const void* to, const TensorArray& a, std::uint32_t least_rank) {
    return to && a.sizes && a.rank >= least_rank && a.rank <= 5 && (a.rank == 1 || a.strides) && a.type >= 0 &&
           a.type <= 12 && a.swizzle >= 0 && a.promotion >= 0 && a.promotion <= 3;
}

}  // namespace

int encode_tensor_map(void* to, const TensorArray& a, const std::uint32_t* box) {
    if (!possible(to, a, 1) || !box) return kInvalid;
    device::TensorMap m;
    m.box.assign(box, box + a.rank);
    return encode(to, a, std::move(m));
}

int replace_tensor_address(void* map, void* address) {
    auto& runtime = Runtime::get();
    if (!map) return kInvalid;
    if (!runtime.device()) return kNotInitialized;
    auto* maps = runtime.device()->tensor_maps();
    const std::span<std::byte, 128> bytes(static_cast<std::byte*>(map), 128);
    return maps->replace_address(bytes, reinterpret_cast<device::Address>(address)) ? 0 : kInvalid;
}

int encode_im2col_map(void* to, const TensorArray& a, const int* lower, const int* upper, std::uint32_t channels,
                      std::uint32_t pixels) {
    if (!possible(to, a, 3) || !lower || !upper || pixels == 0) return kInvalid;
    device::TensorMap m;
    m.box = {channels}, m.pixels = pixels;
    m.lower.assign(lower, lower + (a.rank - 2));
    m.upper.assign(upper, upper + (a.rank - 2));
    return encode(to, a, std::move(m));
}

}  // namespace warpwright::cudart
