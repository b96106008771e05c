// Where the streams of a generator begin: states by seed, moved on by so many outputs at once.
#pragma once

#include <cstdint>
#include <vector>

#include "rand/generators.cuh"

namespace warpwright::libraries {

/// The states of all streams, `offset` outputs of the whole sequence after its beginning.
std::vector<ww_rand::Xorwow> xorwow_streams(std::uint64_t seed, std::uint64_t offset);
std::vector<ww_rand::Mrg32k3a> mrg32k3a_streams(std::uint64_t seed, std::uint64_t offset);

inline constexpr unsigned kSobolDimensions = 1024;
/// 32 direction numbers for each of the first dimensions.
std::vector<std::uint32_t> sobol_directions(unsigned dimensions);

}  // namespace warpwright::libraries
