// What the matmul rungs with register tiles share: sizes, the copies of a tile to shared memory, the multiply-adds. A tile is
// BM x BN sums of a block, TM x TN of a thread; a warp is LR rows by 32 / LR columns of threads. A stage holds 16 k of it.
//   TRANS_A: A is stored K x M; TRANS_B: B is stored N x K; WIDE 0: rows do not start on 16 bytes
//   PADDED 1: rows of the operands that lie along theirs (B as K x N, A as K x M) are filled up to 16 bytes
//   THROUGH 1: A, M x K, is turned on its way through registers, 16 bytes per load; K must be a multiple of four
// A row (column) past the edge is replaced by the last one instead of being tested for: its sums are never stored. Only the
// last tile of K, where zeros matter, takes copies that can be left out.
#pragma once

// Clang, which compiles for the emulated device, keeps the main loop twice where a warp may leave it, and takes minutes for it.
#ifdef __clang__
#define IDLE_WARPS 0
#else
#define IDLE_WARPS 1
#endif

#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef TM
#define TM 16
#endif
#ifndef TN
#define TN 8
#endif
#ifndef LR
#define LR 4
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef BLOCKS
#define BLOCKS 1  // on a multiprocessor
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles that neighbouring blocks share, for the L2 cache
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef TMA
#define TMA 0  // 1: the operand that lies along its rows comes by the tensor memory accelerator
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef SKEW
#define SKEW 1
#endif
#ifndef PADDED
#define PADDED 0
#endif
#ifndef THROUGH
#define THROUGH 0
#endif
#ifndef EDGES
#define EDGES 0  // 1, 2: rows, columns past the last whole tile are not ours
#endif
#define BK 16
#define LC (32 / LR)
#define WM (TM * LR)
#define WN (TN * LC)
#define THREADS (BM / WM * (BN / WN) * 32)
#define TMA_A (TMA && TRANS_A)
#define TMA_B (TMA && !TRANS_B)
#define A_STRIDE (BM + (TRANS_A ? 0 : 4))  // transposing writes spread over the banks
#define B_STRIDE (BN + (TRANS_B ? 4 : 0))
#define A_FLOATS (BK * A_STRIDE)
#define STAGE_FLOATS (BK * (A_STRIDE + B_STRIDE))

static __device__ __forceinline__ void copy4(unsigned to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
static __device__ __forceinline__ void copy16(unsigned to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
static __device__ __forceinline__ void copy4(unsigned to, const float* from, bool valid) {
    int bytes = valid ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void copy16(unsigned to, const float* from, bool valid) {
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
// One operand's share of this thread's copies. ROWS: rows of A or columns of B in the tile; STRIDE: in shared memory.
template <int ROWS, int STRIDE, bool ALONG_K>
struct Operand {
    static constexpr int width = WIDE && !ALONG_K ? 4 : 1;                     // floats of a copy
    static constexpr int count = ALONG_K ? ROWS * 8 / THREADS : 1;             // rows of this thread
    static constexpr int step = ALONG_K ? 8 : THREADS * width / ROWS;          // k from a copy to the next
    const float* from[count];  // this thread's first element of the next tile
    long long pitch;
    int k;
    unsigned to;

    __device__ __forceinline__ Operand(const float* matrix, int rows, int K, int row0, int k0, unsigned tile, int t) {
        if (PADDED && !ALONG_K) rows = (rows + 3) / 4 * 4;
        k = ALONG_K ? t % 8 : t / (ROWS / width);
        const int row = ALONG_K ? t / 8 : t % (ROWS / width) * width;
        pitch = ALONG_K ? 8 : (long long)rows * step;
        to = tile + (k * STRIDE + row) * 4;
#pragma unroll
        for (int r = 0; r < count; ++r)
            from[r] = matrix + (ALONG_K ? (long long)min(row0 + row + r * (THREADS / 8), rows - 1) * K + k0 + k
                                        : (long long)(k0 + k) * rows + min(row0 + row, rows - width));
    }
    // left: how many k there are from this tile's first on; the rest of a tile is filled with zeros
    template <bool TAIL>
    __device__ __forceinline__ void fetch(unsigned stage, int left) {
#pragma unroll
        for (int r = 0; r < count; ++r)
#pragma unroll
            for (int q = 0; q < BK; q += step) {
                const unsigned at = to + stage + (q * STRIDE + (ALONG_K ? r * (THREADS / 8) : 0)) * 4;
                const float* p = from[r] + q / step * pitch;
                const bool valid = k + q < left;
                if (TAIL && !valid) p = from[r];
                if (width == 4) TAIL ? copy16(at, p, valid) : copy16(at, p);
                else TAIL ? copy4(at, p, valid) : copy4(at, p);
            }
#pragma unroll
        for (int r = 0; r < count; ++r) from[r] += BK / step * pitch;
    }
};

// The rows of A that this thread turns. Two neighbouring lanes read the 32 bytes of a sector; what a warp stores at a time, 16 rows of two k
// that are four apart, lies in 32 banks, since STRIDE is 4 more than a multiple of 32.
template <int ROWS, int STRIDE>
struct Through {
    static constexpr int count = ROWS * BK / 4 / THREADS;  // loads of this thread
    static constexpr int rows16 = count < 2 ? 1 : count / 2;
    const float* from[rows16];
    float4 on_the_way[count];
    int k;
    unsigned to;

    __device__ __forceinline__ Through(const float* matrix, int rows, int K, int row0, int k0, unsigned tile, int t) {
        const int lane = t % 32, first = t / 32 * count;
        k = first % 2 * 8 + lane % 2 * 4;
        to = tile + (k * STRIDE + first / 2 * 16 + lane / 2) * 4;
#pragma unroll
        for (int r = 0; r < rows16; ++r) from[r] = matrix + (long long)min(row0 + (first / 2 + r) * 16 + lane / 2, rows - 1) * K + k0 + k;
    }
    /// left: as for Operand
    template <bool TAIL>
    __device__ __forceinline__ void load(int left) {
#pragma unroll
        for (int q = 0; q < count; ++q) {
            float4& v = on_the_way[q];
            if (!TAIL || k + q % 2 * 8 < left)
                asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from[q / 2] + q % 2 * 8));
            else v = make_float4(0, 0, 0, 0);
        }
#pragma unroll
        for (int r = 0; r < rows16; ++r) from[r] += BK;
    }
    __device__ __forceinline__ void store(unsigned stage) const {
#pragma unroll
        for (int q = 0; q < count; ++q) {
            const unsigned at = to + stage + (q % 2 * 8 * STRIDE + q / 2 * 16) * 4;
            const float4& v = on_the_way[q];
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v.x) : "memory");
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + STRIDE * 4), "f"(v.y) : "memory");
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + 2 * STRIDE * 4), "f"(v.z) : "memory");
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + 3 * STRIDE * 4), "f"(v.w) : "memory");
        }
    }
};

static __device__ __forceinline__ void commit() {
#if !TMA_A || !TMA_B
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Until all but the last STAGES - 2 groups of this thread's copies are here.
static __device__ __forceinline__ void wait_copies() {
#if !TMA_A || !TMA_B
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

static __device__ __forceinline__ int tile_rows(int M) { return (M + (EDGES & 1 ? 0 : BM - 1)) / BM; }
static __device__ __forceinline__ int tile_columns(int N) { return (N + (EDGES & 2 ? 0 : BN - 1)) / BN; }

/// Where the tiles lie in C: GROUP rows of them together, column by column, so that neighbours share what L2 holds.
static __device__ __forceinline__ void place(int tile, int M, int N, int& row0, int& column0) {
    const int rows = tile_rows(M), columns = tile_columns(N);
    const int per_group = GROUP * columns, group = tile / per_group;
    const int in_group = min(GROUP, rows - group * GROUP);
    row0 = (group * GROUP + tile % per_group % in_group) * BM;
    column0 = tile % per_group / in_group * BN;
}

/// Where a thread's sums lie in the tile: rows row + i / 4 * LR * 4 + i % 4, columns column + j / 4 * LC * 4 + j % 4.
struct Thread {
    int warp_row, warp_column, row, column;

    __device__ __forceinline__ explicit Thread(int t) {
        const int lane = t % 32, warp = t / 32;
#if SKEW
        const int lane_row = lane % LR, lane_column = (lane / LR + lane) % LC;
#else  // pairs of lanes share rows, pairs of pairs columns: two passes a read, where reads are many
        const int lane_row = lane % 2 + lane / (2 * LC) * 2, lane_column = lane / 2 % LC;
#endif
        warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
        row = warp_row + lane_row * 4, column = warp_column + lane_column * 4;
    }
};

/// sum += `steps` stages. fetch(slot, step) asks for one; arrived(slot, phase, more) waits until the one in that slot is here for
/// this thread; phase counts the rounds of the slots; put(slot) stores there what fetch loaded into registers. All threads of the block must call it; `idle`: all sums of this warp are past the edge.
template <class Fetch, class Put, class Arrived>
static __device__ __forceinline__ void multiply_steps(float (&sum)[TM][TN], const float* shared, const Thread& my, bool idle, int steps, Fetch fetch, Put put, Arrived arrived) {
    float a[2][TM], b[2][TN];
    auto read = [&](int which, const float* tile, int k) {
        const float* ta = tile + k * A_STRIDE + my.row;
        const float* tb = tile + A_FLOATS + k * B_STRIDE + my.column;
#pragma unroll
        for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(&a[which][i]) = *reinterpret_cast<const float4*>(ta + i * LR);
#pragma unroll
        for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(&b[which][j]) = *reinterpret_cast<const float4*>(tb + j * LC);
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s, s), put(s);
        commit();
    }
    arrived(0, 0, steps > 0);
    __syncthreads();
    int slot = 0, next = STAGES - 1;
    unsigned phase = 0;
    auto ahead = [&](int step) {
        if (step + STAGES - 1 < steps) fetch(next, step + STAGES - 1);
        commit();
        if (!THROUGH) next = next + 1 == STAGES ? 0 : next + 1;
    };
    auto behind = [&](int step) {  // half a step later, when the loads have come
        if (!THROUGH) return;
        if (step + STAGES - 1 < steps) put(next);
        next = next + 1 == STAGES ? 0 : next + 1;
    };
    if (IDLE_WARPS && idle) {  // it only helps to copy, and leaves the multiprocessor to the others
        for (int step = 0; step < steps; ++step) {
            ahead(step);
            behind(step);
            slot = slot + 1 == STAGES ? 0 : slot + 1;
            if (slot == 0) phase ^= 1;
            arrived(slot, phase, step + 1 < steps);
            __syncthreads();
        }
        return;
    }
    read(0, shared, 0);
    for (int step = 0; step < steps; ++step) {
        const float* tile = shared + slot * STAGE_FLOATS;
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        if (slot == 0) phase ^= 1;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            if (k == 0) ahead(step);
            if (k == BK * 5 / 8) behind(step);
            if (k + 1 == BK) {
                arrived(slot, phase, step + 1 < steps);
                __syncthreads();
            }
            if (k + 1 < BK) read((k + 1) % 2, tile, k + 1);
            else read(0, shared + slot * STAGE_FLOATS, 0);
            // There and back: neighbouring multiply-adds share an element of b, or one of a at the turn.
#pragma unroll
            for (int j = 0; j < TN; ++j)
#pragma unroll
                for (int n = 0; n < TM; ++n) {
                    const int i = j % 2 ? TM - 1 - n : n;
                    sum[i][j] += a[k % 2][i] * b[k % 2][j];
                }
        }
    }
}

/// The sums that lie inside of C.
static __device__ __forceinline__ void store_sums(const float (&sum)[TM][TN], float* C, const Thread& my, int row0, int column0, int M, int N) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int row = row0 + my.row + i / 4 * LR * 4 + i % 4;
        if (row >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int column = column0 + my.column + j / 4 * LC * 4 + j % 4;
            if (column < N) __stcs(C + (long long)row * N + column, sum[i][j]);
        }
    }
}

/// This block's sums to `parts`, one by one for the same reason, as they lie in registers: TM x TN words of every thread.
static __device__ __forceinline__ void leave_sums(const float (&sum)[TM][TN], float* parts, int number) {
    float* to = parts + static_cast<long long>(number) * (BM * BN) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) to[(i * TN + j) * THREADS] = sum[i][j];
}
