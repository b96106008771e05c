// Formats of array elements, and the construction of textures for the device: shared by arrays, objects and references.
#pragma once

#include "cudart/memory/memory_table.hpp"
#include "device/device.hpp"
#include "driver_types.h"

namespace warpwright::cudart {

/// The format of a texture's elements and whether they are numbers in any case; its other fields stay as they are.
cudaError_t set_format(const cudaChannelFormatDesc& format, device::Texture& texture);
/// Bytes of an element; 0 where there is no such format.
std::size_t element_bytes(const cudaChannelFormatDesc& format);

/// Sets the memory of a texture or surface.
cudaError_t set_resource(const cudaResourceDesc& resource, device::Texture& texture);
/// Sets how it is read. `resource` is its memory.
cudaError_t set_sampling(const cudaTextureDesc& sampling, const cudaResourceDesc& resource, device::Texture& texture);
/// Sets a view: a part of the resource, or another format of its bytes.
cudaError_t set_view(const cudaResourceViewDesc& view, const cudaResourceDesc& resource, device::Texture& texture);

/// The distance of an address from the last one at which a texture may start.
std::size_t behind_alignment(const void* pointer);

}  // namespace warpwright::cudart
