// integer_division: places in a ring whose length comes from the host; mended: the place goes round by a comparison.
extern "C" __global__ void planted_ring(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, length = n - 5;
    float sum = 0;
    for (int k = 0; k < 24; ++k) sum += in[(i + k * 1024) % length];
    out[i] = sum;
}
extern "C" __global__ void mended_ring(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, length = n - 5;
    float sum = 0;
    int at = i % length;
    for (int k = 0; k < 24; ++k) {
        sum += in[at];
        at += 1024;
        if (at >= length) at -= length;
    }
    out[i] = sum;
}
