// Device memory: plain allocations, and copies checked against them before the driver sees them.
#pragma once

#include <span>

#include "device/cuda/context.hpp"

namespace warpwright::device::cuda {

Result<Address> allocate(ContextHolder& context, std::uint64_t bytes);
Result<void> release(ContextHolder& context, Address address);
Result<void> write(ContextHolder& context, Address to, std::span<const std::byte> from);
Result<void> read(ContextHolder& context, std::span<std::byte> to, Address from);
Result<void> copy(ContextHolder& context, Address to, Address from, std::uint64_t bytes);
Result<void> fill(ContextHolder& context, Address to, std::uint8_t value, std::uint64_t bytes);

/// ErrorKind::fault for a copy (`what`: "write") that begins in an allocation and ends outside it. Module variables are
/// not in our table: only the driver can check them.
Result<void> check_covered(ContextHolder& context, Address at, std::uint64_t bytes, const char* what);

}  // namespace warpwright::device::cuda
