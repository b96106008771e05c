// c = a * b, n x n bf16 elements (b by columns), float sums: a warpgroup makes a tile of 64 x 64 by wgmma from shared
// memory, 64 elements of k a step. Blocks of 128; n a multiple of 64.
#define R4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)

// Eight rows of 16 bytes are one piece of 128 bytes; pieces of neighbouring k, and then of rows, follow each other.
static __device__ unsigned long long descriptor(const void* at) {
    unsigned long long address = __cvta_generic_to_shared(at);
    return (address & 0x3ffff) >> 4 | (128ull >> 4) << 16 | (1024ull >> 4) << 32;
}

static __device__ void stage(uint4* tile, const uint4* from, int row, int k, int n) {
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
        int r = i / 8, piece = i % 8;
        tile[r / 8 * 64 + piece * 8 + r % 8] = from[((row + r) * n + k) / 8 + piece];
    }
}

extern "C" __global__ void wgmma_product(const uint4* a, const uint4* b, float* c, int n) {
    __shared__ __align__(128) uint4 left[512], right[512];
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float d[32];
    for (int i = 0; i < 32; ++i) d[i] = 0.0f;
    for (int k = 0; k < n; k += 64) {
        stage(left, a, row, k, n);
        stage(right, b, column, k, n);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < 4; ++step)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                "%32, %33, 1, 1, 1, 0, 0;"
                : R16(0), R16(16)
                : "l"(descriptor(left + step * 16)), "l"(descriptor(right + step * 16)));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" : R16(0), R16(16)::"memory");
        __syncthreads();
    }
    int at = (row + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4) * n + column + threadIdx.x % 4 * 2;
    for (int j = 0; j < 8; ++j) {
        c[at + j * 8] = d[j * 4];
        c[at + j * 8 + 1] = d[j * 4 + 1];
        c[at + 8 * n + j * 8] = d[j * 4 + 2];
        c[at + 8 * n + j * 8 + 1] = d[j * 4 + 3];
    }
}
