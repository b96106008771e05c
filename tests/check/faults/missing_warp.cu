// One warp waits at a barrier that counts more threads than ever come.
// check: --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    int t = threadIdx.x;
    if (t < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // FINDING deadlock
    out[t] = in[t];
}
extern "C" __global__ void right(const int* in, int* out) {
    int t = threadIdx.x;
    if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = in[t];
}
