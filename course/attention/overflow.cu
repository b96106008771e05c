// Block i makes row i of softmax(Q K^T / sqrt(32)) V; thread k of 128 has key k; rows have 32 elements.
__device__ float reduce(float v, bool largest) {
    __shared__ float words[4];
    for (int s = 16; s > 0; s /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, s);
        v = largest ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = v;
    __syncthreads();
    v = words[0];
    for (int w = 1; w < 4; ++w) v = largest ? fmaxf(v, words[w]) : v + words[w];
    return v;
}
__global__ void attention(const float* Q, const float* K, const float* V, float* out, int n) {
    __shared__ float query[32], weights[128], parts[4][32];
    const int i = blockIdx.x, k = threadIdx.x, lane = k % 32, warp = k / 32;
    if (k < 32) query[k] = Q[i * 32 + k];
    __syncthreads();
    float score = -INFINITY;
    if (k < n) {
        score = 0;
        for (int d = 0; d < 32; ++d) score += query[d] * K[k * 32 + d];
        score *= 0.17677669529f;
    }
    const float most = reduce(score, true);
    const float weight = k < n ? expf(score - 0.0f) : 0;
    weights[k] = weight;
    const float sum = reduce(weight, false);
    __syncthreads();
    float mine = 0;
    for (int key = warp; key < n; key += 4) mine += weights[key] * V[key * 32 + lane];
    parts[warp][lane] = mine;
    __syncthreads();
    if (k < 32) out[i * 32 + k] = (parts[0][k] + parts[1][k] + parts[2][k] + parts[3][k]) / sum;
}
