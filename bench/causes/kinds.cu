// divergence: particles of four materials, mixed, each with its own law; mended: materials come in groups of 32.
__device__ float law(int kind, float r) {
    float f = r;
    switch (kind) {
        case 0: for (int k = 0; k < 16; ++k) f = f * r + 0.5f; break;
        case 1: for (int k = 0; k < 16; ++k) f = f * f - r; break;
        case 2: for (int k = 0; k < 16; ++k) f = r - f * 0.25f; break;
        default: for (int k = 0; k < 16; ++k) f = fmaxf(f, r * f) + 0.125f; break;
    }
    return f;
}
extern "C" __global__ void planted_kinds(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = law(i % 4, in[i]);
}
extern "C" __global__ void mended_kinds(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = law(i / 32 % 4, in[i]);
}
