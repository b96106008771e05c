// Lanes hand values to their neighbours through shared memory; half of them, in a branch.
// check: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];  // FINDING race-lanes
    out[t] = s[t ^ 1];  // FINDING race-lanes
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t & 16) {
        __syncwarp(0xffff0000u);
        out[t] = s[t ^ 1];
    } else {
        __syncwarp(0x0000ffffu);
        out[t] = s[t ^ 2];
    }
}
