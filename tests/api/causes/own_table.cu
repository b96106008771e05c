// local_array: a small table of each thread, indexed by the data; mended: packed into one word.
extern "C" __global__ void planted_own_table(float* out, const float* in, int n) {
    int counts[16] = {}, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = __float_as_uint(in[i]);
    for (int k = 0; k < 64; ++k) {
        x = x * 1664525u + 1013904223u;
        counts[x >> 28]++;
    }
    int most = 0;
    for (int k = 0; k < 16; ++k) most = most * 3 + counts[(k * 5 + x) & 15];
    out[i] = most;
}
extern "C" __global__ void mended_own_table(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long low = 0, high = 0;
    unsigned x = __float_as_uint(in[i]);
    for (int k = 0; k < 64; ++k) {
        x = x * 1664525u + 1013904223u;
        unsigned long long one = 1ull << ((x >> 28 & 7) * 8);
        if (x >> 31) high += one; else low += one;
    }
    out[i] = low * 3 + high;
}
