// integer_division: an index is taken apart by a width that the compiler does not know; mended: by a power of two.
extern "C" __global__ void planted_divided_index(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, width = n / 64 + 1, x = i;
    for (int k = 0; k < 24; ++k) x = x / width + (x % (width - k)) * 3 + k;
    out[i] = x + in[i];
}
extern "C" __global__ void mended_divided_index(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i;
    for (int k = 0; k < 24; ++k) x = (x >> 9) + (x & 511) * 3 + k;
    out[i] = x + in[i];
}
