// How the lanes of a memory instruction lay, and the orders of vectors by which such a request is moved. The runtime
// makes one for a request that repeats (runtime/lane_pattern); code for AVX-512 applies it to those that follow
// (codegen/ordered_access), and finds its fields by their offsets.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// The lanes of one vector: of 64 bytes, 16 of 4 bytes or 8 of 8 bytes; with AVX2, of 32 bytes, half as many.
struct PatternPiece {
    std::int64_t low = 0;                       ///< from the request's base to the lowest byte that these lanes access
    std::uint32_t read[2] = {};                 ///< of the two vectors from there on, the elements that lanes access
    bool near = false;                          ///< all lanes lie in these two vectors
    bool whole = false;                         ///< with AVX2: of the first one, lanes access all
    alignas(64) std::uint8_t of_lane[64] = {};  ///< by lane, the number of its element
    alignas(64) std::uint8_t of_place[2][64] = {};  ///< by element, the highest lane that has it
};

struct LaneOrder {
    alignas(64) std::uint64_t distances[32] = {};      ///< from the first active lane, the request's base
    alignas(64) std::uint32_t low_distances[32] = {};  ///< their low halves, once there are pieces
    PatternPiece pieces[8];                            ///< as many as its vectors need
    // What generated code knows besides, once Site::order leads here: all 32 lanes are active and near, and a lane's
    // bytes are 4 or 8.
    std::uint64_t minus = 0;  ///< the base less this is how far the lowest lane lies from the start of the memory
    std::uint64_t limit = 0;  ///< how far it may, in units of a lane's bytes
    std::uint64_t wavefronts = 0, bank_conflicts = 0;  ///< of shared memory
    std::uint8_t sectors[8] = {};  ///< of global memory, by the base's word in its sector; 0: not known
};

}  // namespace warpwright::engine
