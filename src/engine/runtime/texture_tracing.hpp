// What fetches and surface accesses tell the trace of their block (machine::Event). Where the block is not traced,
// nothing happens.
#pragma once

#include "engine/runtime/async_op.hpp"
#include "engine/runtime/texture/touched_texels.hpp"

namespace warpwright::engine {

/// Of one instruction of a warp.
class TextureTracing {
public:
    TextureTracing(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask);

    /// Where a lane's fetch notes what it reads; null: the block is not traced.
    TouchedTexels* lane(unsigned number);
    /// A lane's access of a surface at a place of its first level; null: outside.
    void touch(unsigned lane, const TextureState& t, const std::uint8_t* at, unsigned bytes);
    /// Writes the event if the instruction `ran`, which it returns.
    bool end(bool ran);

private:
    BlockContext* c_;
    WarpFrame* f_;
    const AsyncForm& form_;
    std::uint64_t mask_;
    TouchedTexels touched_;
};

}  // namespace warpwright::engine
