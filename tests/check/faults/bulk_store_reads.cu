// A bulk copy to global memory (TMA) reads shared memory until its thread has waited for the group
// (cp.async.bulk.wait_group.read): a barrier alone does not say that the memory may be written again.
// check: --grid 1 --block 64 --arg i32[64]=iota --arg i32[256]=zero
static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
static __device__ void store(void* to, const void* from) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ alignas(128) int s[64];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        s[t] = in[t] + k;  // FINDING unfinished-copy
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) store(out + k * 64, s);
        __syncthreads();
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ alignas(128) int s[2][64];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        s[k % 2][t] = in[t] + k;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) store(out + k * 64, s[k % 2]);
        // The last but one has been read.
        if (t == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
    }
}
