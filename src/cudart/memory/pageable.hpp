// The program's ordinary memory as kernels see it. A machine whose GPU reaches pageable memory gives a device address
// for any pointer; here the memory around a pointer becomes the device's when a program asks for that. So a wild
// pointer, about which nobody has asked, is still a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpwright::cudart {

/// From now on kernels may access the memory around `pointer`, by the address that this returns: of a tensor that a
/// Python program hands over its storage, of anything else the mapping, to where it ends. 0: it may not be read and
/// written, or is the device's own.
std::uint64_t reach_pageable(const void* pointer);

/// The memory that overlaps these bytes is no longer the device's. False: none does.
bool leave_pageable(const void* pointer, std::uint64_t bytes);

/// Whether the device has any of it. A call that launches kernels on it returns when they are done: a program reads its
/// ordinary memory without asking the device first (a tensor of the host's, whose package knows of no device).
bool has_pageable();
/// Whether these bytes are a part of it.
bool is_pageable(const void* pointer, std::uint64_t bytes);
/// Kernels may access what small tensors of the host's among a launch's parameters point to: a program may hand over a
/// table of addresses. What these lead to has no extent that is known, so it is the mapping.
void reach_through(std::span<const std::byte> parameters);
/// Whether one of a launch's parameters points there.
bool point_to_pageable(std::span<const std::byte> parameters);

}  // namespace warpwright::cudart
