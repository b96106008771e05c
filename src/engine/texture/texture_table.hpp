// The textures and surfaces of a device: the one place that turns a handle into an object. What a kernel has in its
// hands is a number; the descriptions it stands for are the host's, where no kernel can write.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "engine/run/device_memory.hpp"
#include "engine/texture/texture.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

class TextureTable {
public:
    /// A handle that no other object had before. ErrorKind::usage where the description is of no possible texture.
    Result<std::uint64_t> add(const TextureState& texture);
    /// False where the handle is none.
    bool remove(std::uint64_t handle);
    /// Null where the handle is none (any more).
    std::shared_ptr<const TextureState> find(std::uint64_t handle) const;

    /// Handles are no addresses: their upper bits say what they are.
    static constexpr bool is_handle(std::uint64_t x) { return x >> kTagShift == kTag; }

private:
    static constexpr unsigned kIndexBits = 24, kTagShift = 48;
    static constexpr std::uint64_t kTag = 0x7ffa;

    struct Slot {
        std::uint32_t generation = 0;  ///< of the object that is or was last here; 24 bits of it are in the handle
        std::shared_ptr<const TextureState> texture;
    };
    /// Null where the handle names none.
    const Slot* slot(std::uint64_t handle) const;

    mutable std::shared_mutex mutex_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

/// Bytes from a level's first element to the end of its last. ErrorKind::usage where no such array can be.
Result<std::uint64_t> level_bytes(const TextureState& texture, const TextureLevel& level);

/// Whether all elements of a texture lie in memory that is allocated now.
bool is_allocated(const TextureState& texture, const DeviceMemory& memory);

}  // namespace warpwright::engine
