#include "cudart/memory/tensor_map.hpp"

#include <cstring>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

int encode_tensor_map(void* to, int type, std::uint32_t rank, void* address, const std::uint64_t* sizes,
                      const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                      int interleave, int swizzle, int promotion, int fill) {
    constexpr int kInvalid = 1, kNotInitialized = 3, kNotSupported = 801;
    constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "s32", "u64",  "s64", "f16",
                                      "f32", "f64", "bf16", "f32", "tf32", "tf32"};
    constexpr unsigned kFetch[] = {0, 64, 128, 256};
    auto& runtime = Runtime::get();
    if (!to || !sizes || !box || rank < 1 || rank > 5 || (rank > 1 && !strides) || type < 0 || type > 12 ||
        swizzle < 0 || promotion < 0 || promotion > 3)
        return kInvalid;
    if (!runtime.device()) return kNotInitialized;
    if (interleave != 0 || swizzle > 3) {
        runtime.say(
            "cuTensorMapEncodeTiled: interleaved layouts and swizzles of other atoms are not supported by the emulated "
            "GPU");
        return kNotSupported;
    }
    device::TensorMap m;
    m.address = reinterpret_cast<device::Address>(address);
    m.type = kTypes[type];
    m.size.assign(sizes, sizes + rank);
    m.stride.assign(strides, strides + (rank - 1));
    m.box.assign(box, box + rank);
    if (steps) m.step.assign(steps, steps + rank);
    m.swizzle = static_cast<device::TensorMap::Swizzle>(swizzle);
    m.fill_nan = fill == 1;
    m.fetch = kFetch[promotion];
    auto encoded = runtime.device()->encode_tensor_map(m);
    if (!encoded) {
        runtime.say(encoded.error());
        return kInvalid;
    }
    std::memcpy(to, encoded->data(), encoded->size());
    return 0;
}

}  // namespace warpwright::cudart
