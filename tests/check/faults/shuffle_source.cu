// A shuffle down reads lanes that do not take part.
// check: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    int t = threadIdx.x, x = in[t];
    if (t < 16) x += __shfl_down_sync(0x0000ffffu, x, 8);  // FINDING shuffle-source
    out[t] = x;
}
extern "C" __global__ void right(const int* in, int* out) {
    int t = threadIdx.x, x = in[t];
    if (t < 16) x += __shfl_down_sync(0x0000ffffu, x, 8, 16);
    out[t] = x;
}
