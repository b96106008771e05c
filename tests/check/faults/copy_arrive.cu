// cp.async that completes with a phase of an mbarrier: it is read before the wait. The instruction comes in two forms: one
// adds its arrival to those that the phase expects, the other is one of these.
// check: --grid 1 --block 256 --arg i32[256]=iota --arg i32[256]=zero
static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
static __device__ void copy(void* to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(to)), "l"(from) : "memory");
}
static __device__ void arrive(unsigned barrier, bool counted) {
    if (counted) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
        return;
    }
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(barrier) : "memory");
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(barrier) : "memory");
}
static __device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int s[256];
    __shared__ alignas(8) unsigned long long b;
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;" ::"r"(address(&b)) : "memory");
    __syncthreads();
    copy(s + t, in + t);
    arrive(address(&b), true);
    __syncthreads();
    out[t] = s[(t + 32) % 256];  // FINDING unfinished-copy
    wait(address(&b), 0);
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[256];
    __shared__ alignas(8) unsigned long long b;
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;" ::"r"(address(&b)) : "memory");
    __syncthreads();
    for (unsigned phase = 0; phase < 4; ++phase) {
        copy(s + t, in + t);
        arrive(address(&b), phase < 2);
        wait(address(&b), phase & 1);
        out[t] = s[(t + 32) % 256];
        __syncthreads();
    }
    // Whoever waits for the copies themselves needs no phase.
    copy(s + t, in + t);
    arrive(address(&b), true);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] += s[(t + 32) % 256];
}
