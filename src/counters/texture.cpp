// Lanes are looked at in groups of eight. The two quads of a group are served one after the other, and together only
// where whole-number reads in one dimension fall into one sector.
#include "counters/texture.hpp"

#include <algorithm>

namespace warpwright::counters {

unsigned texture_turns(std::uint64_t mask, std::span<const unsigned, 64> turns_of_lane,
                       std::span<const TexelRead> reads, bool by_elements) {
    constexpr unsigned kTogether = 8, kQuad = 4, kLanes = 64, kSector = 32;
    unsigned turns = 0;
    for (unsigned first = 0; first < kLanes; first += kTogether) {
        unsigned of_quad[2] = {0, 0};
        for (unsigned k = 0; k < kTogether; ++k)
            if (mask >> (first + k) & 1) of_quad[k / kQuad] = std::max(of_quad[k / kQuad], turns_of_lane[first + k]);
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
        for (const TexelRead& read : reads) {
            if (read.lane / kTogether != first / kTogether) continue;
            low = std::min(low, read.address / kSector);
            high = std::max(high, (read.address + read.bytes - 1) / kSector);
        }
        const bool one_sector = low >= high;
        turns += by_elements && one_sector ? std::max(of_quad[0], of_quad[1]) : of_quad[0] + of_quad[1];
    }
    return turns;
}

}  // namespace warpwright::counters
