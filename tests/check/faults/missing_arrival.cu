// An mbarrier that expects one arrival more than come.
// check: --grid 1 --block 32 --arg i32[32]=zero
static __device__ void arrive_and_wait(unsigned barrier) {
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(barrier) : "memory");
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(barrier) : "memory");  // FINDING deadlock
}
extern "C" __global__ void wrong(int* out) {
    __shared__ alignas(8) unsigned long long b;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 33;" ::"r"(barrier) : "memory");
    __syncthreads();
    arrive_and_wait(barrier);
    out[threadIdx.x] = 1;
}
extern "C" __global__ void right(int* out) {
    __shared__ alignas(8) unsigned long long b;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(barrier) : "memory");
    __syncthreads();
    arrive_and_wait(barrier);
    out[threadIdx.x] = 1;
}
