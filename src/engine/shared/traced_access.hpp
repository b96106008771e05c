// What traced code tells of an access besides its addresses.
#pragma once

#include <cstdint>

#include "simt/details.hpp"

namespace warpwright::engine {

struct TracedAccess {
    enum class Kind : std::uint8_t {
        load,
        store,
        atomic,
        atomic_cas,    ///< compare-and-swap, or a loop of it in shared memory
        atomic_count,  ///< adds the constant 1, and nobody reads the old value
        copy,          ///< to shared memory, asynchronously: behind the addresses stand those in shared memory
        atomic_once,   ///< at one address that the assembler knows to be one: the lanes' sum goes there once
    };
    simt::Space space = simt::Space::generic;
    Kind kind = Kind::load;
    std::uint8_t bytes = 4;  ///< of a lane

    std::uint32_t packed() const {
        return bytes | static_cast<std::uint32_t>(space) << 8 | static_cast<std::uint32_t>(kind) << 16;
    }
    static TracedAccess unpack(std::uint32_t x) {
        return {static_cast<simt::Space>(x >> 8 & 0xff), static_cast<Kind>(x >> 16 & 0xff),
                static_cast<std::uint8_t>(x)};
    }
};

}  // namespace warpwright::engine
