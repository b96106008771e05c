__global__ void __launch_bounds__(256, 6) rounds(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; ++k) v[k] = x[k * n + i];
#pragma unroll 1
    for (int round = 0; round < 8; ++round) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 48; ++k) sum += v[k];
#pragma unroll
        for (int k = 0; k < 48; ++k) v[k] = 0.5f * v[k] * v[k] + sum / 192;
    }
    float largest = v[0];
#pragma unroll
    for (int k = 1; k < 48; ++k) largest = fmaxf(largest, v[k]);
    y[i] = largest;
}
