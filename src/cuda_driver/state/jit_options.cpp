// A log is written to the caller's buffer only as far as it fits, with a final zero. Its size is returned in the
// option's value, where the driver packs an integer into a pointer.
#include "cuda_driver/state/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace warpwright::cuda_driver {

void** JitOptions::value(CUjit_option option) const {
    for (unsigned k = 0; options && values && k < count; ++k)
        if (options[k] == option) return &values[k];
    return nullptr;
}

void JitOptions::fill(CUjit_option buffer, const std::string& text) const {
    auto** to = value(buffer);
    auto** size = value(static_cast<CUjit_option>(buffer + 1));
    if (!to || !*to || !size) return;
    // Sizes are unsigned ints in the place of a pointer.
    const auto room = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(*size));
    if (room == 0) return;
    const auto n = std::min<std::size_t>(text.size(), room - 1);
    std::memcpy(*to, text.data(), n);
    static_cast<char*>(*to)[n] = '\0';
    *size = reinterpret_cast<void*>(static_cast<std::uintptr_t>(text.empty() ? 0 : n + 1));
}

}  // namespace warpwright::cuda_driver
