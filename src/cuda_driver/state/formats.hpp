// Formats of array elements: the driver names a type and a number of channels, the runtime bits of each channel.
#pragma once

#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

/// False: there is no such format, or it is not supported.
bool channel_format(CUarray_format format, unsigned channels, cudaChannelFormatDesc& out);
bool driver_format(const cudaChannelFormatDesc& format, CUarray_format& out, unsigned& channels);

}  // namespace warpwright::cuda_driver
