// pack() converts nothing: the number and sizes of the arguments must be those of the kernel's parameters, and its
// errors name the parameters' types. Of pointers to values no size is known, so that nothing can be compared.
#include "launch/pack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/demangle.hpp"

namespace warpwright::launch {

std::uint64_t parameter_bytes(const KernelInfo& kernel) {
    std::uint64_t bytes = 0;
    for (const Parameter& p : kernel.parameters)
        bytes = std::max<std::uint64_t>(bytes, std::uint64_t{p.offset} + p.size);
    return bytes;
}

Result<std::vector<std::byte>> pack(const KernelInfo& kernel, std::span<const Argument> arguments) {
    const auto& parameters = kernel.parameters;
    if (arguments.size() != parameters.size()) {
        std::string types;
        for (const Parameter& p : parameters) types += (types.empty() ? "" : ", ") + p.type;
        return Error{ErrorKind::usage,
                     fmt::format("the kernel '{}' takes {} argument{}, {} given", demangle(kernel.name),
                                 parameters.size(), parameters.size() == 1 ? "" : "s", arguments.size()),
                     {},
                     "its parameters: " + (types.empty() ? "none" : types)};
    }
    std::vector<std::byte> block(parameter_bytes(kernel));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& p = parameters[i];
        if (arguments[i].size() != p.size)
            return Error{ErrorKind::usage,
                         fmt::format("argument {} of {} has {} bytes, its parameter (.{}) has {}", i,
                                     demangle(kernel.name), arguments[i].size(), p.type, p.size),
                         {},
                         "pass a value of exactly the parameter's type"};
        std::copy(arguments[i].begin(), arguments[i].end(), block.begin() + p.offset);
    }
    return block;
}

std::vector<std::byte> pack_pointers(const KernelInfo& kernel, const void* const* values) {
    std::vector<std::byte> block(parameter_bytes(kernel));
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const Parameter& p = kernel.parameters[i];
        std::copy_n(static_cast<const std::byte*>(values[i]), p.size, block.begin() + p.offset);
    }
    return block;
}

}  // namespace warpwright::launch
