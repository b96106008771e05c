// An mbarrier that is invalidated twice: its memory may belong to something else by then. Threads whose phase was
// complete when it was invalidated have waited for it, whoever was first to run on.
// check: --grid 1 --block 256 --arg i32[256]=zero
static __device__ void start(unsigned barrier, int threads) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(threads) : "memory");
    __syncthreads();
}
static __device__ void arrive_and_wait(unsigned barrier) {
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(barrier) : "memory");
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(barrier) : "memory");
}
extern "C" __global__ void wrong(int* out) {
    __shared__ alignas(8) unsigned long long b;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    start(barrier, blockDim.x);
    arrive_and_wait(barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");  // FINDING use-after-free
    }
    out[threadIdx.x] = 1;
}
extern "C" __global__ void right(int* out) {
    __shared__ alignas(8) unsigned long long b;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    start(barrier, blockDim.x);
    arrive_and_wait(barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    out[threadIdx.x] = 1;
}
