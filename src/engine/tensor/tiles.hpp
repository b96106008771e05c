// Matrix products that consist of tiles of 16 rows and 8 columns over k = 16, in f16 or bf16 with sums in f32, where
// this CPU has quick code for such tiles (tiles_avx512.hpp). The others, and operands that it does not take, are
// float_mma.cpp's, which has the rules. Internal to src/engine/tensor.
#pragma once

#include "engine/tensor/tensor.hpp"
#include "engine/tensor/wgmma.hpp"

namespace warpwright::engine::tiles {

/// Runs a product as run_mma() does; false, with nothing done, where it is none of such tiles.
bool run(const MmaForm& form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d);
/// The same as run_wgmma().
bool run(const WgmmaForm& form, const std::uint8_t* a, const std::uint8_t* b, bool accumulate, std::uint32_t* d);
/// Whether to use them (for tests: the results are the same).
void want(bool on);

}  // namespace warpwright::engine::tiles
