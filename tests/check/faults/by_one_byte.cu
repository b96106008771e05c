// One byte too far, in the last thread only.
// check: --grid 1 --block 128 --arg u8[128]=iota --arg u8[128]=zero
extern "C" __global__ void wrong(const unsigned char* in, unsigned char* out) {
    int i = threadIdx.x;
    out[i] = in[i + 1];  // FINDING out-of-bounds
}
extern "C" __global__ void right(const unsigned char* in, unsigned char* out) {
    int i = threadIdx.x;
    out[i] = in[i < 127 ? i + 1 : 127];
}
