// bank_conflicts: each thread counts sixteen kinds in a row of its own; mended: in a column.
extern "C" __global__ void planted_private_bins(int* out, const float* in, int n) {
    __shared__ int bins[256 * 16];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int k = 0; k < 16; ++k) bins[t * 16 + k] = 0;
    for (int k = 0; k < 32; ++k) ++bins[t * 16 + (int)(in[k * n + i] * 16)];
    int most = 0;
    for (int k = 1; k < 16; ++k)
        if (bins[t * 16 + k] > bins[t * 16 + most]) most = k;
    out[i] = most;
}
extern "C" __global__ void mended_private_bins(int* out, const float* in, int n) {
    __shared__ int bins[256 * 16];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int k = 0; k < 16; ++k) bins[k * 256 + t] = 0;
    for (int k = 0; k < 32; ++k) ++bins[(int)(in[k * n + i] * 16) * 256 + t];
    int most = 0;
    for (int k = 1; k < 16; ++k)
        if (bins[k * 256 + t] > bins[most * 256 + t]) most = k;
    out[i] = most;
}
