// The driver's descriptions of copies (each side names its kind of memory) as the runtime's.
#pragma once

#include "cudart/work/stream/operation.hpp"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& p);
/// CUDA_ERROR_INVALID_VALUE if a side is nothing, or not all of it is in its array.
CUresult copy_of(cudart::Copy& copy, const CUDA_MEMCPY3D& p);
/// The same as the runtime's parameters, which nodes of graphs keep. Levels of mipmapped arrays have arrays of their
/// own.
CUresult parameters_of(cudaMemcpy3DParms& to, const CUDA_MEMCPY3D& p);

}  // namespace warpwright::cuda_driver
