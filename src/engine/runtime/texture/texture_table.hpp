// The textures and surfaces of a device: the only code that turns a handle into an object. A kernel holds only numbers;
// the descriptions they stand for belong to the host, where no kernel can write.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "engine/runtime/texture/texture.hpp"
#include "engine/shared/device_memory.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

class TextureTable {
public:
    /// Returns a handle that no other object had before. ErrorKind::usage if the description is of no possible texture.
    Result<std::uint64_t> add(const TextureState& texture);
    /// False if there is no such handle.
    bool remove(std::uint64_t handle);
    /// Null if there is no such handle (any more).
    std::shared_ptr<const TextureState> find(std::uint64_t handle) const;

    /// Handles are not addresses: their upper bits mark them.
    static constexpr bool is_handle(std::uint64_t x) { return x >> kTagShift == kTag; }

private:
    static constexpr unsigned kIndexBits = 24, kTagShift = 48;
    static constexpr std::uint64_t kTag = 0x7ffa;

    struct Slot {
        std::uint32_t generation = 0;  ///< of the object that is or was last here; 24 bits of it are in the handle
        std::shared_ptr<const TextureState> texture;
    };
    /// Null if there is no such handle.
    const Slot* slot(std::uint64_t handle) const;

    mutable std::shared_mutex mutex_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

/// Bytes from a level's first element to the end of its last. ErrorKind::usage if no such array can exist.
Result<std::uint64_t> level_bytes(const TextureState& texture, const TextureLevel& level);

/// Whether all elements of a texture lie in allocated memory.
bool is_allocated(const TextureState& texture, const DeviceMemory& memory);

}  // namespace warpwright::engine
