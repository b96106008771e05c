// What the lanes touch is collected first and becomes one event, with its sectors and the turns of the texture unit. A
// reduction keeps sectors that occur twice, because its lanes take turns at them.
#include "engine/runtime/texture_tracing.hpp"

#include <algorithm>
#include <bit>

#include "counters/texture.hpp"
#include "engine/shared/tracing.hpp"
#include "machine/view.hpp"

namespace warpwright::engine {

namespace {

machine::BlockTrace* trace_of(const BlockContext* c) { return static_cast<machine::BlockTrace*>(c->trace); }

}  // namespace

TextureTracing::TextureTracing(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask)
    : c_(c), f_(f), form_(form), mask_(mask) {}

TouchedTexels* TextureTracing::lane(unsigned number) {
    if (!trace_of(c_)) return nullptr;
    touched_.lane(number);
    return &touched_;
}

void TextureTracing::touch(unsigned number, const TextureState& t, const std::uint8_t* at, unsigned bytes) {
    if (!at || !lane(number)) return;
    const TextureLevel& level = t.level[0];
    std::uint64_t offset = reinterpret_cast<std::uint64_t>(at) - level.data;
    const std::uint64_t slice = std::max<std::uint64_t>(1, level.slice),
                        pitch = std::max<std::uint64_t>(1, level.pitch);
    const std::uint64_t z = level.depth > 1 ? offset / slice : 0;
    offset -= z * slice;
    const std::uint64_t y = level.height > 1 ? offset / pitch : 0;
    touched_.note_bytes(t, level, offset - y * pitch, y, z, bytes);
}

bool TextureTracing::end(bool ran) {
    auto* trace = trace_of(c_);
    if (!ran || !trace || trace->warps[f_->warp].cut || !machine::is_texture_access(*form_.ptx)) return ran;
    PlacesOf places(c_->executor->launch.tracing->places);
    machine::Event e;
    e.what = machine::Event::kAccess;
    e.lanes = static_cast<std::uint32_t>(std::popcount(mask_));
    const bool by_elements = machine::reads_elements(*form_.ptx) && form_.dimensions == 1;
    const auto turns = counters::texture_turns(mask_, touched_.turns(), touched_.places(), by_elements);
    e.passes = static_cast<std::uint16_t>(std::min(turns, 0xffffu));
    e.first = static_cast<std::uint32_t>(trace->sectors.size());
    std::vector<std::uint32_t> found;
    for (const auto& texel : touched_.places()) {
        const auto place = places(texel.address);
        for (auto s = place / 32; s <= (place + texel.bytes - 1) / 32; ++s)
            found.push_back(static_cast<std::uint32_t>(s));
    }
    std::sort(found.begin(), found.end());
    // A reduction's lanes take turns at their sector; other accesses touch it once.
    if (form_.ptx->op == simt::Op::sust) e.what |= machine::Event::kStore;
    if (form_.ptx->op == simt::Op::sured)
        e.what |= machine::Event::kAtomic;
    else
        found.erase(std::unique(found.begin(), found.end()), found.end());
    trace->sectors.insert(trace->sectors.end(), found.begin(), found.end());
    e.count = static_cast<std::uint16_t>(found.size());
    ++trace->events;
    trace->warps[f_->warp].add(e);
    return ran;
}

}  // namespace warpwright::engine
