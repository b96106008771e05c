// A handle holds its slot's number and generation, so that the handle of a destroyed object does not find a later one
// in the same slot. Sizes are added with checks for overflow, because a description may hold any numbers.
#include "engine/runtime/texture/texture_table.hpp"

#include <algorithm>
#include <mutex>

namespace warpwright::engine {

namespace {

Error wrong(const std::string& what) { return Error{ErrorKind::usage, "texture: " + what, {}, ""}; }

/// count * each + more; false where that is more than 64 bits hold.
bool add_product(std::uint64_t count, std::uint64_t each, std::uint64_t& sum) {
    std::uint64_t product = 0;
    return !__builtin_mul_overflow(count, each, &product) && !__builtin_add_overflow(sum, product, &sum);
}

Result<void> check(const TextureState& t) {
    if (t.levels < 1 || t.levels > TextureState::kMostLevels) return wrong("has 1 to 18 levels");
    if (t.channels != 1 && t.channels != 2 && t.channels != 4) return wrong("has 1, 2 or 4 channels");
    if (t.bits != 8 && t.bits != 16 && t.bits != 32) return wrong("has channels of 8, 16 or 32 bits");
    if (t.packed && (t.channels != 4 || t.bits != 16)) return wrong("packed elements have four channels");
    for (std::uint32_t k = 0; k < t.levels; ++k) {
        const auto& l = t.level[k];
        if (t.cube && (l.depth < 6 || l.depth % 6 != 0 || l.width == 0 || l.width != l.height))
            return wrong("a cube map has six square faces per layer");
        if (auto bytes = level_bytes(t, l); !bytes) return bytes.error();
    }
    return {};
}

}  // namespace

Result<std::uint64_t> level_bytes(const TextureState& t, const TextureLevel& l) {
    if (l.width == 0) return std::uint64_t{0};
    // A row is there also where no height is given: a fetch by one coordinate reads it.
    std::uint64_t bytes = 0;
    if (!add_product(l.width, t.element(), bytes) || !add_product(std::max(l.height, 1u) - 1, l.pitch, bytes) ||
        !add_product(std::max(l.depth, 1u) - 1, l.slice, bytes))
        return wrong("is larger than any memory");
    return bytes;
}

bool is_allocated(const TextureState& t, const DeviceMemory& memory) {
    for (std::uint32_t k = 0; k < t.levels; ++k) {
        const auto bytes = level_bytes(t, t.level[k]);
        const auto there = memory.find(t.level[k].data);
        if (!bytes || !there || !there->covers(t.level[k].data, *bytes)) return false;
    }
    return true;
}

Result<std::uint64_t> TextureTable::add(const TextureState& texture) {
    if (auto ok = check(texture); !ok) return ok.error();
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
        if (slots_.size() >= (std::size_t{1} << kIndexBits))
            return Error{ErrorKind::limit, "too many textures and surfaces at a time", {}, "destroy some"};
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const auto index = free_.back();
    free_.pop_back();
    auto& slot = slots_[index];
    slot.generation = (slot.generation + 1) & ((1u << kIndexBits) - 1);
    slot.texture = std::make_shared<const TextureState>(texture);
    return kTag << kTagShift | std::uint64_t{slot.generation} << kIndexBits | index;
}

const TextureTable::Slot* TextureTable::slot(std::uint64_t handle) const {
    if (!is_handle(handle)) return nullptr;
    const auto index = handle & ((std::uint64_t{1} << kIndexBits) - 1);
    if (index >= slots_.size()) return nullptr;
    const auto& slot = slots_[index];
    const bool same = (handle >> kIndexBits & ((1u << kIndexBits) - 1)) == slot.generation;
    return same && slot.texture ? &slot : nullptr;
}

bool TextureTable::remove(std::uint64_t handle) {
    std::unique_lock lock(mutex_);
    const auto* found = slot(handle);
    if (!found) return false;
    const auto index = static_cast<std::uint32_t>(found - slots_.data());
    slots_[index].texture = nullptr;
    free_.push_back(index);
    return true;
}

std::shared_ptr<const TextureState> TextureTable::find(std::uint64_t handle) const {
    std::shared_lock lock(mutex_);
    const auto* found = slot(handle);
    return found ? found->texture : nullptr;
}

}  // namespace warpwright::engine
