// A bulk copy (TMA) tells an mbarrier when it is done; a barrier of the block says nothing about it.
// check: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
static __device__ void start(unsigned barrier, unsigned to, const void* from) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(from), "r"(barrier) : "memory");
}
static __device__ void wait(unsigned barrier) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(barrier) : "memory");
}
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) unsigned long long full;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full)), to = static_cast<unsigned>(__cvta_generic_to_shared(s));
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        start(barrier, to, in);
    }
    __syncthreads();
    out[t] = s[t];  // FINDING unfinished-copy
    wait(barrier);
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) unsigned long long full;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full)), to = static_cast<unsigned>(__cvta_generic_to_shared(s));
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        start(barrier, to, in);
    }
    __syncthreads();
    wait(barrier);
    out[t] = s[t];
}
