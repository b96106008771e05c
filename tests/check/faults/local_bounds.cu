// An index into a thread's own array that depends on data.
// check: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    int histogram[16];
    for (int k = 0; k < 16; ++k) histogram[k] = 0;
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) histogram[in[t] + k] += 1;  // FINDING out-of-bounds
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += histogram[k] * k;
    out[t] = sum;
}
extern "C" __global__ void right(const int* in, int* out) {
    int histogram[16];
    for (int k = 0; k < 16; ++k) histogram[k] = 0;
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) histogram[(in[t] + k) & 15] += 1;
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += histogram[k] * k;
    out[t] = sum;
}
