// double_precision: the constants lack their f; mended: they have it.
extern "C" __global__ void planted_double_constants(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 50; ++k) x = x * 1.0001 + 0.5;
    out[i] = x;
}
extern "C" __global__ void mended_double_constants(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 50; ++k) x = x * 1.0001f + 0.5f;
    out[i] = x;
}
