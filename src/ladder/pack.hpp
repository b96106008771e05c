// Converts arguments as a user gives them to the parameter block of a kernel, checked against the kernel's declaration.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "values/element.hpp"

namespace warpwright::ladder {

struct ArgumentValue {
    enum class Kind { buffer, number, bytes } kind = Kind::number;
    device::Address address = 0;             ///< buffer; 0 = a null pointer
    long double number = 0;                  ///< number
    std::vector<std::byte> bytes;            ///< bytes: a struct by value
    std::optional<values::Element> element;  ///< number: the type given with it; absent = the parameter's
    std::string text;                        ///< its text in messages
    Location where;
};

/// The kernel called `name`: its linkage name, or the name in the source if only one kernel has it (a mangled name
/// is compared without its parameters and namespaces). ErrorKind::input, naming the kernels there are, when none fits.
Result<const device::KernelInfo*> find_kernel(const device::Module& module, const std::string& name);

/// The parameter block. ErrorKind::usage for a wrong number of arguments, a buffer where a number is wanted, a number
/// that the parameter's type cannot hold.
Result<std::vector<std::byte>> pack_arguments(const device::KernelInfo& kernel,
                                              std::span<const ArgumentValue> arguments);

}  // namespace warpwright::ladder
