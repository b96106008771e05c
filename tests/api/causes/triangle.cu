// imbalance: the work of a block grows with its number; mended: each block has a long and a short piece.
// grid 2*sms
extern "C" __global__ void planted_triangle(float* out, const float* in, int n) {
    float x = in[threadIdx.x];
    for (unsigned k = 0; k < blockIdx.x * 4000 / gridDim.x; ++k) x = x * 0.99f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void mended_triangle(float* out, const float* in, int n) {
    float x = in[threadIdx.x];
    for (unsigned k = 0; k < 2000; ++k) x = x * 0.99f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
