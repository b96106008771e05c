// Tensor maps: descriptions of arrays for tensor copies, as the driver's cuTensorMapEncodeTiled makes them.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// The driver's function, with its numbers for types and modes; gives a CUresult.
int encode_tensor_map(void* to, int type, std::uint32_t rank, void* address, const std::uint64_t* sizes,
                      const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                      int interleave, int swizzle, int promotion, int fill);

}  // namespace warpwright::cudart
