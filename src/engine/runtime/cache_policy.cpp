// createpolicy of values that only the lanes know: the words that hardware makes, since libraries compute the same
// words on the host and compare them.
#include <algorithm>
#include <bit>

#include "engine/runtime/async_op.hpp"
#include "simt/cache_policy.hpp"

namespace warpwright::engine {

using simt::Mod;

namespace {

/// Which of up to 127 blocks, each a 128th of the total size or larger and of at least 4 KiB, the primary range
/// touches.
std::uint64_t range_word(std::uint64_t address, std::uint64_t primary, std::uint64_t total) {
    constexpr unsigned kSmallest = 12, kBlocks = 7;
    const auto total_bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(total, 1) - 1));
    const unsigned block = std::max(total_bits, kSmallest + kBlocks) - kBlocks;
    const std::uint64_t first = address >> block, end = (address + primary + (std::uint64_t{1} << block) - 1) >> block;
    return std::clamp<std::uint64_t>(end - first, 1, 127) << 37 | (first & 127) << 44 |
           std::uint64_t{block - kSmallest} << 52;
}

}  // namespace

bool run_cache_policy(BlockContext* c, WarpFrame*, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                      std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto priorities = simt::policy_priorities(*form.ptx);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto size = [&](unsigned k) { return in[k * lanes + l] & 0xffffffffu; };
        out[l] = priorities | (form.ptx->has(Mod::range)
                                   ? range_word(in[l] + in[lanes + l], size(2), size(3))
                                   : simt::policy_fraction(std::bit_cast<float>(static_cast<std::uint32_t>(in[l]))));
    }
    return true;
}

}  // namespace warpwright::engine
