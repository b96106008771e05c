__global__ void attention(const float* Q, const float* K, const float* V, float* out, int n) {
    __shared__ float weights[128];
    const int i = blockIdx.x;
    if (threadIdx.x != 0) return;
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < n; ++k) {
        float score = 0;
        for (int d = 0; d < 32; ++d) score += Q[i * 32 + d] * K[k * 32 + d];
        weights[k] = score * 0.17677669529f;
        most = fmaxf(most, weights[k]);
    }
    for (int k = 0; k < n; ++k) sum += weights[k] = expf(weights[k] - most);
    for (int d = 0; d < 32; ++d) {
        float value = 0;
        for (int k = 0; k < n; ++k) value += weights[k] * V[k * 32 + d];
        out[i * 32 + d] = value / sum;
    }
}
