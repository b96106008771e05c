// Prunes A (M x K, row-major) to 2:4: of each four neighbours along K the two largest magnitudes stay, of equals the
// first. Writes the stored values (M x K/2) and the metadata as wgmma.sp takes it from registers (common/sparse.cuh).
// A thread makes the four words that one thread of the product loads at once, so everything is read and written in
// pieces of at least 16 bytes. Rows beyond M and columns beyond K count as zeros.
#include "../common/sparse.cuh"

#ifndef ELEMENT
#define ELEMENT bf16
#endif

namespace pruning {
using namespace sparse;
typedef ELEMENT T;

struct Four {
    unsigned values;  // the two that stay, the first in the lower half
    unsigned nibble;  // their places
};

/// Of four values in the low bits of v.
static __device__ __forceinline__ Four prune(const unsigned (&v)[4]) {
    constexpr unsigned bits = T::bytes * 8, magnitude = (1u << (bits - 1)) - 1;
    Four out = {0, 0};
    unsigned taken = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned mine = v[i] & magnitude;
        unsigned larger = 0;
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            const unsigned other = v[j] & magnitude;
            larger += j < i ? other >= mine : j > i ? other > mine : 0;
        }
        if (larger < 2) {
            out.values |= v[i] << (taken * bits);
            out.nibble |= i << (taken * 2);
            ++taken;
        }
    }
    return out;
}
}  // namespace pruning

/// One thread a piece of 4 words of metadata: blockIdx.y counts 64 rows, blockIdx.x pieces of kMetadataK columns.
extern "C" __global__ void __launch_bounds__(128) prune_2_4(const unsigned char* __restrict__ A, unsigned char* __restrict__ stored, uint4* __restrict__ metadata,
                                                            long long M, long long K) {
    using namespace pruning;
    constexpr int per16 = 16 / T::bytes;  // elements in 16 bytes
    const int t = threadIdx.x, lane = t % 32;
    const long long k0 = (long long)blockIdx.x * kMetadataK<T>;
    unsigned words[4] = {0, 0, 0, 0};
    // 32 bytes of a row of A become 16 stored bytes and `per16` / 2 ... fours of metadata.
    auto piece = [&](long long row, long long k, unsigned (&nibbles)[per16 / 2]) {
        const bool inside = row < M && k < K;
        uint4 half[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        if (inside) {
            const uint4* from = reinterpret_cast<const uint4*>(A + (row * K + k) * T::bytes);
            half[0] = from[0], half[1] = from[1];
        }
        unsigned out[4];
        const unsigned* v = &half[0].x;
#pragma unroll
        for (int i = 0; i < per16 / 2; ++i) {
            unsigned four[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int at = i * 4 + e;
                four[e] = T::bytes == 2 ? (v[at / 2] >> (at % 2 * 16)) & 0xffff : (v[at / 4] >> (at % 4 * 8)) & 0xff;
            }
            const Four f = prune(four);
            nibbles[i] = f.nibble;
            if (T::bytes == 2)
                out[i % 4] = f.values;
            else
                out[i / 2 % 4] = i % 2 ? out[i / 2 % 4] | f.values << 16 : f.values;
        }
        if (inside) *reinterpret_cast<uint4*>(stored + (row * K + k) / 2 * T::bytes) = make_uint4(out[0], out[1], out[2], out[3]);
    };
    const long long block = (long long)blockIdx.y * 64 + t / 32 * 16;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        unsigned nibbles[per16 / 2];
        if (T::bytes == 2) {
            // 16 columns of two rows
            const long long k = k0 + w * 64 + lane % 4 * 16;
#pragma unroll
            for (int high = 0; high < 2; ++high) {
                piece(block + lane / 4 + 8 * high, k, nibbles);
#pragma unroll
                for (int i = 0; i < per16 / 2; ++i) words[w] |= nibbles[i] << (16 * high + 4 * i);
            }
        } else {
            // 32 columns of one row
            piece(block + lane / 4 + 8 * (lane % 2), k0 + w * 64 + lane % 4 / 2 * 32, nibbles);
#pragma unroll
            for (int i = 0; i < per16 / 2; ++i) words[w] |= nibbles[i] << (4 * i);
        }
    }
    metadata[((long long)blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = make_uint4(words[0], words[1], words[2], words[3]);
}
