// A matrix product (wgmma) reads shared memory until it has been waited for: a stage that is handed back before that is
// loaded again too early. One thread hands it back for the whole warpgroup, whose product it has waited for.
// check: --grid 1 --block 160 --arg i32[2304]=iota --arg f32[128]=zero
static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
static __device__ void load(unsigned to, const void* from, unsigned barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 9216;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 9216, [%2];" ::"r"(to), "l"(from), "r"(barrier) : "memory");
}
static __device__ void arrive(unsigned barrier) {
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(barrier) : "memory");
}
static __device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}
static __device__ unsigned long long rows(unsigned at) { return 0x4000004000010000ull | (at & 0x3ffff) >> 4; }
static __device__ void multiply(float (&d)[4], unsigned stage) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"  // FINDING unfinished-copy
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(rows(stage)), "l"(rows(stage + 8192)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// A stage is handed back when the product `behind` steps later has begun; early: before its own is over.
template <bool early, int behind>
static __device__ void turn(const int* in, float* out) {
    __shared__ alignas(1024) unsigned char memory[2 * 9216];
    __shared__ alignas(8) unsigned long long full[2], empty[2];
    const unsigned stages = address(memory);
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 2; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(full + s)) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(empty + s)) : "memory");
        }
    }
    __syncthreads();
    float d[4] = {};
    for (int k = 0; k < 6; ++k) {
        const unsigned s = k % 2, phase = k / 2 & 1, stage = stages + s * 9216;
        if (t == 128) {
            wait(address(empty + s), phase ^ 1);
            load(stage, in, address(full + s));
        } else if (t < 128) {
            wait(address(full + s), phase);
            multiply(d, stage);
            if (early && t == 0) arrive(address(empty + s));
            asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(behind) : "memory");
            if (!early && t == 0 && k >= behind) arrive(address(empty + (k - behind) % 2));
        }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t < 128) out[t] = d[0];
}
extern "C" __global__ void wrong(const int* in, float* out) { turn<true, 0>(in, out); }
extern "C" __global__ void right(const int* in, float* out) { turn<false, 1>(in, out); }
