// A 64 x 64 product over k in steps of 64, in CUDA C++ with inline PTX: tiles through tensor maps, one mbarrier a stage,
// two stages, wgmma. Thread 0 loads, all 128 threads multiply.
#include <cuda_runtime.h>

static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

static __device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred over;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

static __device__ void load(unsigned to, const void* map, unsigned barrier, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map),
                 "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

static __device__ void multiply(float (&d)[32], unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(128) product(const unsigned char* maps, float* out, int steps) {
    extern __shared__ __align__(1024) unsigned char stages[];
    const unsigned at = address(stages), barrier = at + 32768;
    auto fetch = [&](int step) {
        const unsigned full = barrier + step % 2 * 8, to = at + step % 2 * 16384;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(full) : "memory");
        load(to, maps, full, step * 64, 0);
        load(to + 8192, maps + 128, full, step * 64, 0);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + s * 8) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        fetch(0);
    }
    __syncthreads();
    float d[32] = {};
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0 && step + 1 < steps) fetch(step + 1);
        wait(barrier + step % 2 * 8, step / 2 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        unsigned long long a = 0x4000004000010000ull | (at + step % 2 * 16384) >> 4, b = a + 512;
        for (int k = 0; k < 4; ++k) multiply(d, a + 2 * k, b + 2 * k);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; ++i) out[(row + i / 2 % 2 * 8) * 64 + column + i / 4 * 8 + i % 2] = d[i];
}
