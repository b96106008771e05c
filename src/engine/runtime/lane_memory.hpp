// Resolves a lane's address: its space, and its place in local memory.
#pragma once

#include <algorithm>
#include <cstring>

#include "engine/runtime/async_op.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/local_addresses.hpp"

namespace warpwright::engine {

inline std::uint64_t word_offset(std::uint64_t address, unsigned lanes, unsigned lane) {
    return (address >> 2) * 4 * lanes + 4 * lane + (address & 3);
}

/// Copies a lane's bytes of local memory; 8-byte accesses are two words, so pieces are at most 4 bytes.
inline void local_copy(WarpFrame* f, unsigned lanes, unsigned lane, std::uint64_t address, void* data, unsigned bytes,
                       bool store) {
    auto* p = static_cast<std::uint8_t*>(data);
    while (bytes) {
        const unsigned piece = std::min(bytes, 4u);
        auto* at = f->local + word_offset(address, lanes, lane);
        if (store)
            std::memcpy(at, p, piece);
        else
            std::memcpy(p, at, piece);
        p += piece;
        address += piece;
        bytes -= piece;
    }
}

struct Resolved {
    simt::Space space;
    std::uint64_t address;         ///< in its own space
    std::uint8_t* peer = nullptr;  ///< shared memory of another block of the cluster, if the address is there
};

inline Resolved resolve(const BlockContext* c, simt::Space space, std::uint64_t address) {
    if (space == simt::Space::shared) return {space, address & 0xffffffffu};
    if (space == simt::Space::local) return {space, local_address(address)};
    if (space != simt::Space::generic) return {space == simt::Space::constant ? simt::Space::global : space, address};
    const auto special = address - c->shared_window;  // the local window follows the shared ones
    if (special >= kSharedWindows + kWindowBytes) return {simt::Space::global, address};
    if (special < kWindowBytes) return {simt::Space::shared, special};
    if (special >= kSharedWindows) return {simt::Space::local, special - kSharedWindows};
    const auto place = peer_place(c, static_cast<std::uint32_t>(special / kWindowBytes) - 1, special % kWindowBytes, 0);
    return {simt::Space::shared, place.host ? special % kWindowBytes : special, place.host};
}

}  // namespace warpwright::engine
