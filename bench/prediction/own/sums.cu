// Additions to few words by many blocks: all lanes at one word, lanes side by side, words at random, and one thread of a
// block.
#include "own.hpp"

namespace {

__device__ unsigned hashed(unsigned x) {
    x = (x ^ 61u) ^ x >> 16;
    x *= 9u;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    return x ^ x >> 15;
}

}  // namespace

// Each thread adds to its block's word.
template <class T>
__global__ void add_of_block(T* table, unsigned words) {
    atomicAdd(table + blockIdx.x % words, T(1));
}

// Lanes add to words side by side.
template <class T>
__global__ void add_of_lanes(T* table, unsigned words) {
    atomicAdd(table + threadIdx.x % words, T(1));
}

template <class T>
__global__ void add_at_random(T* table, unsigned words) {
    atomicAdd(table + hashed(blockIdx.x * blockDim.x + threadIdx.x) % words, T(1));
}

// The first threads of a block add to a word each, as blocks do with their sums.
template <class T>
__global__ void add_sums(T* table, const T* from, unsigned words) {
    const T x = from[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x < words) atomicAdd(table + threadIdx.x, x);
}

// One thread of a block adds to a word of all.
template <class T>
__global__ void add_sum(T* table, const T* from, unsigned words) {
    const T x = from[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0) atomicAdd(table + blockIdx.x % words, x);
}

// One after the other, by one thread of a block.
template <class T>
__global__ void add_in_turn(T* table, const T* from, unsigned words) {
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < words; ++k) atomicAdd(table + k, from[blockIdx.x * words + k]);
}

// And the old value is used.
template <class T>
__global__ void add_and_keep(T* table, T* to, unsigned words) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = atomicAdd(table + hashed(i) % words, T(1));
}

template <class T>
void all(T* table, T* values) {
    for (const unsigned words : {1u, 4u, 8u, 32u, 256u, 4096u}) {
        add_of_block<<<264, 256>>>(table, words);
        add_of_lanes<<<264, 256>>>(table, words);
        add_at_random<<<528, 256>>>(table, words);
        add_sums<<<1056, 256>>>(table, values, words < 256 ? words : 256);
        add_sum<<<4224, 128>>>(table, values, words);
        add_in_turn<<<528, 64>>>(table, values, words < 64 ? words : 64);
        add_and_keep<<<264, 256>>>(table, values, words);
    }
}

int main() {
    all(floats(1 << 16), floats(1 << 20));
    all(filled<unsigned>(1 << 16, [](std::size_t, std::uint32_t) { return 0u; }),
        filled<unsigned>(1 << 20, [](std::size_t, std::uint32_t) { return 1u; }));
    all(filled<double>(1 << 16, [](std::size_t, std::uint32_t) { return 0.0; }),
        filled<double>(1 << 20, [](std::size_t, std::uint32_t) { return 1.0; }));
    finish();
    return 0;
}
