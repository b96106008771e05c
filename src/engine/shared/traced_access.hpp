// What traced code tells of an access besides its addresses.
#pragma once

#include <array>
#include <cstdint>
#include <span>

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

struct BlockContext;
struct WarpFrame;

/// The addresses of one of the accesses, by lane, that a fragment of a matrix is moved by.
using PieceOfFragment = std::array<std::uint64_t, 32>;

/// Adds to the block's trace, where one is kept, a fragment's load or store: one access with the sectors and the
/// passes of all pieces.
void trace_pieces(BlockContext* c, WarpFrame* f, const TracedAccess& what, std::span<const PieceOfFragment> pieces,
                  std::uint64_t mask);

}  // namespace warpwright::engine
