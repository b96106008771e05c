// cp.async: what was copied is read before it was waited for; after the wait, others need a barrier.
// check: --grid 1 --block 64 --arg i32[256]=iota --arg i32[64]=zero
static __device__ void copy(void* to, const void* from) {
    unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from) : "memory");
}
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ alignas(16) int s[256];
    int t = threadIdx.x;
    copy(s + 4 * t, in + 4 * t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[t] = s[4 * (63 - t)];  // FINDING unfinished-copy race-shared
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ alignas(16) int s[256];
    int t = threadIdx.x;
    copy(s + 4 * t, in + 4 * t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[t] = s[4 * (63 - t)];
}
