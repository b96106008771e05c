// Virtual memory: reserved ranges of addresses, allocations without an address, and which of these is mapped where.
//
// A range is reserved as an allocation of the device, of which no page exists until it is used. An allocation is an
// unnamed file; mapping it puts its pages at the range's addresses, so two mappings of one allocation are the same
// memory, and what was written stays when it is mapped elsewhere. Reserved addresses where nothing is mapped are not
// checked: a kernel that reads them reads zeros, where a GPU reports an illegal address.
#pragma once

#include <cstdint>

#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver::virtual_memory {

/// What sizes, offsets and addresses are multiples of, in bytes: an H100's.
inline constexpr size_t kGranularity = size_t{2} << 20;

CUresult reserve(CUdeviceptr* pointer, size_t bytes);
CUresult release_range(CUdeviceptr pointer, size_t bytes);
CUresult create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp& properties);
CUresult release(CUmemGenericAllocationHandle handle);
/// A descriptor of the allocation's file, which another process may import.
CUresult share(int* descriptor, CUmemGenericAllocationHandle handle);
/// CUDA_ERROR_INVALID_VALUE unless the descriptor is that of an allocation.
CUresult import(CUmemGenericAllocationHandle* handle, int descriptor);
CUresult retain(CUmemGenericAllocationHandle* handle, CUdeviceptr pointer);
CUresult properties_of(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle);
CUresult map(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle);
/// Kernels of these devices, as bits, may access what is mapped there, and with it the rest of its reserved range.
CUresult open(CUdeviceptr pointer, size_t bytes, std::uint16_t to);
CUresult unmap(CUdeviceptr pointer, size_t bytes);
/// CUDA_ERROR_INVALID_VALUE unless something is mapped at every address of the range.
CUresult is_mapped(CUdeviceptr pointer, size_t bytes);

}  // namespace warpwright::cuda_driver::virtual_memory
