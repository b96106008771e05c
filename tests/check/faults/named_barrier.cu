// A producer warp fills a buffer for a consumer warp; the barrier has a number of its own. Wrong: two numbers.
// check: --grid 1 --block 64 --arg i32[32]=iota --arg i32[32]=zero --arg i32[1]=zero
extern "C" __global__ void wrong(const int* in, int* out, int* spare) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];  // FINDING race-shared
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 32;" ::: "memory");
        out[t - 32] = s[t - 32];  // FINDING race-shared
    }
}
extern "C" __global__ void right(const int* in, int* out, int* spare) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[t - 32];
    }
}
