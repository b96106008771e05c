// 16 bytes per load and per store. A thread reads V x V elements (V of them in 16 bytes), turns them in
// registers, and puts V columns of 16 bytes into the tile, which is kept turned: row c of it is row c of the output.
// Chunk p of row c lies at p ^ (c / V % 8): eight lanes with neighbouring blocks write, and eight lanes that read a row
// read, all eight 16-byte columns of the banks. Where rows do not begin at multiples of 16 bytes, elements go one by one.
// Blocks follow each other along the rows of the input, or (DOWN) down its columns, which are the rows of the output.
#include "../common/turn.cuh"

#ifndef ROWS
#define ROWS 64  // a tile, of the input
#define COLUMNS 64
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef DOWN
#define DOWN 0
#endif
#ifndef PROGRAMMATIC
#define PROGRAMMATIC 0  // 1: launched so that it may begin while the launch before ends
#endif

extern "C" __global__ void __launch_bounds__(THREADS) transpose_vectorised(const Element* in, Element* out, unsigned M, unsigned N) {
    using turn::V;
    using u64 = unsigned long long;
    constexpr unsigned wide = COLUMNS / V, high = ROWS / V;
    __shared__ __align__(16) Element turned[COLUMNS * ROWS];
    const unsigned across = (N + COLUMNS - 1) / COLUMNS, down = (M + ROWS - 1) / ROWS, t = threadIdx.x;
    const u64 row0 = static_cast<u64>(DOWN ? blockIdx.x % down : blockIdx.x / across) * ROWS;
    const u64 column0 = static_cast<u64>(DOWN ? blockIdx.x / down : blockIdx.x % across) * COLUMNS;
    const auto at = [](unsigned c, unsigned p) { return c * ROWS + (p ^ c / V % 8 % high) * V; };
#if PROGRAMMATIC
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    if (M % V == 0 && N % V == 0) {
#pragma unroll
        for (unsigned k = t; k < high * wide; k += THREADS) {
            const unsigned q = k % wide, p = k / wide;
            if (row0 + p * V >= M || column0 + q * V >= N) continue;
            turn::Row rows[V];
#pragma unroll
            for (unsigned j = 0; j < V; ++j) rows[j].chunk = *reinterpret_cast<const stream::Chunk*>(in + (row0 + p * V + j) * N + column0 + q * V);
#pragma unroll
            for (unsigned j = 0; j < V; ++j)
                *reinterpret_cast<stream::Chunk*>(turned + at(q * V + j, p)) = turn::column(rows, j);
        }
        __syncthreads();
#ifndef __clang__  // which cannot for every type, and says so
#pragma unroll
#endif
        for (unsigned k = t; k < high * COLUMNS; k += THREADS) {
            const unsigned p = k % high, c = k / high;
            if (row0 + p * V < M && column0 + c < N)
                *reinterpret_cast<stream::Chunk*>(out + (column0 + c) * M + row0 + p * V) = *reinterpret_cast<const stream::Chunk*>(turned + at(c, p));
        }
        return;
    }
    for (unsigned k = t; k < ROWS * COLUMNS; k += THREADS) {
        const unsigned r = k / COLUMNS, c = k % COLUMNS;
        if (row0 + r < M && column0 + c < N) turned[at(c, r / V) + r % V] = in[(row0 + r) * N + column0 + c];
    }
    __syncthreads();
    for (unsigned k = t; k < ROWS * COLUMNS; k += THREADS) {
        const unsigned r = k % ROWS, c = k / ROWS;
        if (row0 + r < M && column0 + c < N) out[(column0 + c) * M + row0 + r] = turned[at(c, r / V) + r % V];
    }
}
