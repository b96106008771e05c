// A launch's arguments as the block of parameters that a kernel reads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "launch/kernel_info.hpp"
#include "support/result.hpp"

namespace warpwright::launch {

/// Bytes of the whole block.
std::uint64_t parameter_bytes(const KernelInfo& kernel);

/// The bytes of one argument.
using Argument = std::span<const std::byte>;

/// The bytes of an object, as an argument. It must outlive that.
template <class T>
Argument argument(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// The block with each argument at its parameter's place, and zeros between. ErrorKind::usage: the number of arguments,
/// or the size of one, is not that of the kernel's parameters.
Result<std::vector<std::byte>> pack(const KernelInfo& kernel, std::span<const Argument> arguments);

/// The same from pointers to the values, one for each parameter, whose sizes nobody knows but the kernel.
std::vector<std::byte> pack_pointers(const KernelInfo& kernel, const void* const* values);

}  // namespace warpwright::launch
