// The tensor memory accelerator brings tiles and takes them away: boxes of 128 bytes by 8 V rows, V elements in 16 bytes,
// their 16-byte chunks permuted on the way (swizzle 128: chunk p of row r lies at p ^ (r % 8)). Threads only turn
// V x V elements in registers, from the box that came to the box that goes. Eight lanes work along a diagonal of
// such blocks: with p = q both what they read and what they write fills all banks. Tiles go down the
// columns of the input; where there are fewer blocks than tiles, STAGES of them are on their way while one is turned.
#include "../common/hopper.cuh"
#include "../common/turn.cuh"

#ifndef STAGES
#define STAGES 2
#endif
#ifndef BOXES
#define BOXES 2  // a tile is BOXES x BOXES boxes, each 8 V x 8 V elements
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__ void __launch_bounds__(THREADS) transpose_tma(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out, unsigned M, unsigned N) {
    using turn::V;
    constexpr unsigned side = 8 * V, tile = BOXES * side, box_bytes = side * 128, bytes = BOXES * BOXES * box_bytes;
    constexpr unsigned blocks = BOXES * BOXES * 64;  // of V x V elements, a tile
    extern __shared__ unsigned char raw[];
    __shared__ __align__(8) u64 full[STAGES];
    const TensorMap& from = TENSOR_MAP(transpose_tma, 0, in);
    const TensorMap& to = TENSOR_MAP(transpose_tma, 1, out);
    const unsigned base = (hopper::shared_address(raw) + 1023) / 1024 * 1024, turned = base + STAGES * bytes, barriers = hopper::shared_address(full);
    const unsigned t = threadIdx.x, down = (M + tile - 1) / tile, tiles = down * ((N + tile - 1) / tile);
    // Boxes lie one after the other: of the tile that comes, those beside each other are BOXES apart (all its rows together).
    const auto fetch = [&](unsigned i, unsigned stage) {
        if (i >= tiles) return;
        hopper::barrier_expect(barriers + stage * 8, bytes);
        for (unsigned b = 0; b < BOXES; ++b)
            hopper::load_tile(base + stage * bytes + b * BOXES * box_bytes, from, i / down * tile + b * side, i % down * tile, barriers + stage * 8);
    };
    if (t == 0) {
        for (unsigned s = 0; s < STAGES; ++s) hopper::barrier_init(barriers + s * 8, 1);
        hopper::fence_async();
        hopper::barrier_init_done();
        for (unsigned s = 0; s < STAGES; ++s) fetch(blockIdx.x + s * gridDim.x, s);
    }
    __syncthreads();
    unsigned stage = 0, parity = 0;
    for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x) {
        hopper::barrier_wait(barriers + stage * 8, parity);
        constexpr unsigned each = (blocks + THREADS - 1) / THREADS;
        turn::Row rows[each][V];
        // Block k: lane l of eight, turn g of eight, in box (high, wide) of the tile.
        const auto place = [&](unsigned e, unsigned& q, unsigned& p, unsigned& high, unsigned& wide) {
            const unsigned k = e * THREADS + t, box = k / 64;
            q = k % 8, p = k % 8 ^ k / 8 % 8, high = box % BOXES, wide = box / BOXES;
            return k < blocks;
        };
        unsigned q, p, high, wide;
#pragma unroll
        for (unsigned e = 0; e < each; ++e)
            if (place(e, q, p, high, wide)) {
#pragma unroll
                for (unsigned j = 0; j < V; ++j) {
                    const unsigned r = p * V + j;
                    rows[e][j].chunk = stream::load_shared(base + stage * bytes + (wide * BOXES + high) * box_bytes + r * 128 + (q ^ r % 8) * 16);
                }
            }
        if (t == 0) stream::bulk_wait_read<0>();  // the tile before has left the place of the turned one
        __syncthreads();
        if (t == 0) fetch(i + STAGES * gridDim.x, stage);
#pragma unroll
        for (unsigned e = 0; e < each; ++e)
            if (place(e, q, p, high, wide)) {
#pragma unroll
                for (unsigned j = 0; j < V; ++j) {
                    const unsigned c = q * V + j;
                    stream::store_shared(turned + (high * BOXES + wide) * box_bytes + c * 128 + (p ^ c % 8) * 16, turn::column(rows[e], j));
                }
            }
        hopper::fence_async();
        __syncthreads();
        if (t == 0) {
            for (unsigned b = 0; b < BOXES; ++b)
                hopper::store_tile(to, i % down * tile + b * side, i / down * tile, turned + b * BOXES * box_bytes);
            hopper::store_commit();
        }
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    if (t == 0) stream::bulk_wait();
}
