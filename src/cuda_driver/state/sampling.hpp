// The driver's descriptions of textures (where the elements are, and how they are read) as the runtime's, and back.
#pragma once

#include <memory>

#include "cudart/memory/memory_table.hpp"
#include "driver_types.h"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

/// nullptr where there is none.
std::shared_ptr<cudart::MipmappedArray> mipmaps_of(CUmipmappedArray array);

CUresult resource_of(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to);
/// Whether the elements are integers of 8 or 16 bits, which a texture reads as numbers from 0 or -1 to 1 unless told
/// otherwise; and never those of 32 bits.
bool narrow_integers(const cudaResourceDesc& resource);
cudaTextureDesc sampling_of(const CUDA_TEXTURE_DESC& from, bool narrow_integers);
CUresult driver_resource(const cudaResourceDesc& from, CUDA_RESOURCE_DESC& to);
CUDA_TEXTURE_DESC driver_sampling(const cudaTextureDesc& from, const cudaResourceDesc& resource);

}  // namespace warpwright::cuda_driver
