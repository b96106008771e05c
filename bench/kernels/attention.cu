// out = softmax(q k^T) v for n rows of 32 floats, one thread a row of q, with the running maximum of flash attention; 32
// rows of k and v at a time lie in shared memory. Blocks of 128; n a multiple of 128.
#define WIDTH 32

extern "C" __global__ void attention(const float* q, const float* keys, const float* values, float* out, int n) {
    __shared__ float k_tile[WIDTH][WIDTH], v_tile[WIDTH][WIDTH];
    int row = blockIdx.x * 128 + threadIdx.x;
    float mine[WIDTH], sums[WIDTH], top = -1e30f, total = 0.0f;
#pragma unroll
    for (int d = 0; d < WIDTH; ++d) {
        mine[d] = q[row * WIDTH + d];
        sums[d] = 0.0f;
    }
    for (int start = 0; start < n; start += WIDTH) {
        for (int i = threadIdx.x; i < WIDTH * WIDTH; i += 128) {
            k_tile[i / WIDTH][i % WIDTH] = keys[start * WIDTH + i];
            v_tile[i / WIDTH][i % WIDTH] = values[start * WIDTH + i];
        }
        __syncthreads();
        for (int j = 0; j < WIDTH; ++j) {
            float score = 0.0f;
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) score += mine[d] * k_tile[j][d];
            float higher = fmaxf(top, score), shrink = expf(top - higher), weight = expf(score - higher);
            top = higher;
            total = total * shrink + weight;
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) sums[d] = sums[d] * shrink + weight * v_tile[j][d];
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < WIDTH; ++d) out[row * WIDTH + d] = sums[d] / total;
}
