// A full mask in a branch that half the warp takes.
// check: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    int t = threadIdx.x, x = in[t];
    if (t < 16)
        x += __shfl_xor_sync(0xffff0000u, x, 1);  // FINDING sync-mask
    out[t] = x;
}
extern "C" __global__ void right(const int* in, int* out) {
    int t = threadIdx.x, x = in[t];
    if (t < 16)
        x += __shfl_xor_sync(0x0000ffffu, x, 1);
    out[t] = x;
}
