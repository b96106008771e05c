// What the vectorised transpositions share: a square block of V x V elements, V of them in 16 bytes, turned in registers.
#pragma once
#include "stream.cuh"
#include "bits.cuh"

namespace turn {

constexpr unsigned V = 16 / sizeof(Element);  // elements in 16 bytes

union Row {
    stream::Chunk chunk;
    Element element[V];
};

/// Column j of the block whose rows are given.
static __device__ __forceinline__ stream::Chunk column(const Row (&rows)[V], unsigned j) {
    Row out;
#pragma unroll
    for (unsigned i = 0; i < V; ++i) out.element[i] = rows[i].element[j];
    return out.chunk;
}

}  // namespace turn
