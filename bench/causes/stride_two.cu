// bank_conflicts: complex numbers as pairs of floats in shared memory, two words apart; mended: two arrays.
extern "C" __global__ void planted_stride_two(float* out, const float* in, int n) {
    __shared__ float s[512];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[2 * t] = in[i], s[2 * t + 1] = in[i + n];
    __syncthreads();
    float re = 0, im = 0;
    for (int k = 0; k < 32; ++k) {
        int u = (t + k * 8) & 255;
        re += s[2 * u] * k;
        im -= s[2 * (u ^ 1) + 1];
    }
    out[i] = re + im;
}
extern "C" __global__ void mended_stride_two(float* out, const float* in, int n) {
    __shared__ float a[256], b[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    a[t] = in[i], b[t] = in[i + n];
    __syncthreads();
    float re = 0, im = 0;
    for (int k = 0; k < 32; ++k) {
        int u = (t + k * 8) & 255;
        re += a[u] * k;
        im -= b[u ^ 1];
    }
    out[i] = re + im;
}
