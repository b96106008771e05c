// Large register tiles fed by asynchronous copies. A thread keeps TM x TN sums; tiles of A and B for the next steps
// are on their way to shared memory (cp.async) while the present one is multiplied, and the elements for the next k
// are read from shared memory while those of the present k are used.
//   block: BM x BN sums; warps of WM x WN, in which lanes stand 4 rows by 8 columns
//   stages: how many tiles of BK columns of A and rows of B are in shared memory at once
// A is stored transposed, so that a lane reads 4 neighbouring rows in one access; its rows are padded by 4 floats,
// which spreads the transposing writes over all banks.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 16
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles that neighbouring blocks share, for the L2 cache
#endif
#define THREADS (BM / WM * (BN / WN) * 32)
#define TM (WM / 4)
#define TN (WN / 8)
#define PAD 4
#define A_STRIDE (BM + PAD)
#define STAGE_FLOATS (BK * (A_STRIDE + BN))

static __device__ __forceinline__ void copy4(float* to, const float* from, bool valid) {
    unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = valid ? 4 : 0;  // 0: the rest is filled with zeros
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void copy16(float* to, const float* from, bool valid) {
    unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_async_tiles(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(16) float shared[];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;

    // Neighbouring blocks work on GROUP rows of tiles, column by column: what they read together stays in the L2 cache.
    const int rows = (M + BM - 1) / BM, columns = (N + BN - 1) / BN;
    const int per_group = GROUP * columns, group = blockIdx.x / per_group;
    const int in_group = min(GROUP, rows - group * GROUP);
    const int row0 = (group * GROUP + blockIdx.x % per_group % in_group) * BM;
    const int column0 = blockIdx.x % per_group / in_group * BN;

    // What this thread copies. A: 8 neighbouring k of 4 rows per warp, so whole sectors are read. B: 16 bytes each.
    const int a_k = lane % 8, a_row = warp * 4 + lane / 8;
    const bool wide = N % 4 == 0;
    auto fetch = [&](int stage, int k0) {
        float* a = shared + stage * STAGE_FLOATS;
        float* b = a + BK * A_STRIDE;
#pragma unroll
        for (int k = a_k; k < BK; k += 8)
#pragma unroll
            for (int r = 0; r < BM; r += THREADS / 8) {
                const int row = row0 + a_row + r;
                const bool valid = row < M && k0 + k < K;
                copy4(a + k * A_STRIDE + a_row + r, A + (valid ? (long long)row * K + k0 + k : 0), valid);
            }
        if (wide) {
#pragma unroll
            for (int i = t; i < BK * BN / 4; i += THREADS) {
                const int k = i / (BN / 4), column = i % (BN / 4) * 4;
                const bool valid = k0 + k < K && column0 + column < N;
                copy16(b + k * BN + column, B + (valid ? (long long)(k0 + k) * N + column0 + column : 0), valid);
            }
        } else {
            for (int i = t; i < BK * BN; i += THREADS) {
                const int k = i / BN, column = i % BN;
                const bool valid = k0 + k < K && column0 + column < N;
                copy4(b + k * BN + column, B + (valid ? (long long)(k0 + k) * N + column0 + column : 0), valid);
            }
        }
    };

    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    const int my_row = warp_row + lane / 8 * 4, my_column = warp_column + lane % 8 * 4;
    float sum[TM][TN] = {};
    float a[2][TM], b[2][TN];
    auto read = [&](int which, const float* tile, int k) {
        const float* ta = tile + k * A_STRIDE + my_row;
        const float* tb = tile + BK * A_STRIDE + k * BN + my_column;
#pragma unroll
        for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(&a[which][i]) = *reinterpret_cast<const float4*>(ta + i * 4);
#pragma unroll
        for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(&b[which][j]) = *reinterpret_cast<const float4*>(tb + j * 8);
    };

    const int steps = (K + BK - 1) / BK;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s, s * BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    read(0, shared, 0);
    int stage = 0, next = STAGES - 1;
    for (int step = 0; step < steps; ++step) {
        const float* tile = shared + stage * STAGE_FLOATS;
        if (step + STAGES - 1 < steps) fetch(next, (step + STAGES - 1) * BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            if (k + 1 < BK) {
                read((k + 1) % 2, tile, k + 1);
            } else {
                // Everything of this tile has been read: its place may be written, and the next tile is needed.
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
                __syncthreads();
                read(0, shared + stage * STAGE_FLOATS, 0);
            }
#pragma unroll
            for (int j = 0; j < TN; ++j)
#pragma unroll
                for (int n = 0; n < TM; ++n) {
                    // There and back: neighbouring multiply-adds share an element of b, or one of a at the turn, which
                    // the hardware then need not read again. Registers have two banks, a multiply-add three operands.
                    const int i = j % 2 ? TM - 1 - n : n;
                    sum[i][j] += a[k % 2][i] * b[k % 2][j];
                }
        }
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int row = row0 + my_row + i / 4 * 16 + i % 4;
        if (row >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            // One by one: four at a time would want neighbouring registers, and so bind the banks of the sums.
            const int column = column0 + my_column + j / 4 * 32 + j % 4;
            if (column < N) __stcs(C + (long long)row * N + column, sum[i][j]);
        }
    }
}
