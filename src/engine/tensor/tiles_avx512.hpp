// Products of f16 and bf16 elements with sums in f32, as float_mma.cpp has them, on a CPU with AVX-512: a tile of 16
// rows and 8 columns over k = 16, of which the rows are the lanes of a vector. Internal to src/engine/tensor.
#pragma once

#include <cstdint>

#include "simt/details.hpp"

namespace warpwright::engine::tiles {

/// Exponents of the elements that are not zero; of none, lowest is above and highest below all others.
struct Bounds {
    int lowest = 0, highest = 0;
};

/// The rows of A. A pair: two elements that follow each other along k, as a register holds them.
struct Rows {
    alignas(64) float even[8][16], odd[8][16];  ///< by pair, then by row
    alignas(64) std::int16_t exponents[8][32];  ///< of both elements
    Bounds bounds;
};

/// The columns of B.
struct Columns {
    alignas(64) float even[8][8], odd[8][8];  ///< by column, then by pair
    alignas(64) std::uint32_t exponents[8][8];
    Bounds bounds;
};

/// Whether this CPU has the instructions.
bool available();

/// Takes A apart: words[w] are 32 lanes' words of rows 8 (w % 2) ... and k = 8 (w / 2) ..., as mma.m16n8k16 has them.
/// `flip` is xored to each word. False if an element is infinite, NaN, or a bf16 below the normal ones.
bool take(simt::Type type, const std::uint32_t* const words[4], std::uint32_t flip, Rows& out);
/// Takes B apart: pairs of k by column, 8 each.
bool take(simt::Type type, const std::uint32_t (&pairs)[8][8], std::uint32_t flip, Columns& out);
/// Whether 32 accumulators are zeros and normal numbers alone.
bool are_plain(const std::uint32_t* words);
/// Whether no product and no last bit of a sum is below the normal numbers of f32.
inline bool are_narrow(const Bounds& a, const Bounds& b) {
    return a.lowest + b.lowest >= -100 && a.highest + b.highest <= 125;
}
/// d = a b + c, which are plain and narrow. Accumulators lie as those of mma.m16n8: words[w] are rows 8 (w / 2) ... and
/// every second column from w % 2 on. d may be c.
void sum(const Rows& a, const Columns& b, const std::uint32_t* const c[4], std::uint32_t* const d[4]);

}  // namespace warpwright::engine::tiles
