// The program's ordinary memory as kernels see it. A machine whose GPU reaches pageable memory gives a device address
// for any pointer; here the memory around a pointer becomes the device's when a program asks for that. So a wild
// pointer, about which nobody has asked, is still a fault.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// From now on kernels may access the memory around `pointer`, to where it ends. False: it may not be read and written,
/// or is the device's own.
bool reach_pageable(const void* pointer);

/// The memory that overlaps these bytes is no longer the device's. False: none does.
bool leave_pageable(const void* pointer, std::uint64_t bytes);

}  // namespace warpwright::cudart
