// slow_math: exact sine and exponential; mended: the fast ones.
extern "C" __global__ void planted_exact_functions(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 30; ++k) x = sinf(x) * expf(-x) + powf(x + 1.5f, 0.3f);
    out[i] = x;
}
extern "C" __global__ void mended_exact_functions(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 30; ++k) x = __sinf(x) * __expf(-x) + __powf(x + 1.5f, 0.3f);
    out[i] = x;
}
