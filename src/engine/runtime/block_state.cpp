// Frames, waits and memory are hashed as they lie there.
#include "engine/runtime/block_state.hpp"

#include <cstring>

namespace warpwright::engine {

namespace {

std::uint64_t mixed(std::uint64_t h, std::uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

std::uint64_t hash_bytes(std::uint64_t h, const std::uint8_t* p, std::uint64_t bytes) {
    for (std::uint64_t k = 0; bytes - k >= 8; k += 8) {
        std::uint64_t x;
        std::memcpy(&x, p + k, 8);
        h = mixed(h, x);
    }
    return h;
}

}  // namespace

void keep_wait(BlockContext* c, WarpFrame* f, const Wait& wait) {
    if (!f->wait) f->wait = c->executor->current->waits.emplace_back(std::make_unique<Wait[]>(kMaxWaits)).get();
    f->wait[f->waits++] = wait;
}

std::uint64_t state_of(ResidentBlock& block) {
    const auto& code = *block.context.executor->launch.code;
    std::uint64_t h = 1;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        h = mixed(h, f->resume | std::uint64_t{static_cast<std::uint8_t>(block.states[w])} << 32);
        h = mixed(mixed(h, f->live), f->waits);
        for (std::uint32_t k = 0; k < f->waits; ++k)
            h = mixed(mixed(h, f->wait[k].lanes), f->wait[k].block | std::uint64_t{f->wait[k].barrier} << 32);
        h = hash_bytes(h, reinterpret_cast<const std::uint8_t*>(f) + sizeof(WarpFrame),
                       code.frame_bytes - sizeof(WarpFrame));
        if (f->local) h = hash_bytes(h, f->local, f->local_size * code.options.block.lanes);
    }
    return hash_bytes(h, block.context.shared, block.context.shared_size);
}

}  // namespace warpwright::engine
