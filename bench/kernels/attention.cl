// The same kernel as attention.cu.
#define WIDTH 32

__kernel void attention(__global const float* q, __global const float* keys, __global const float* values,
                        __global float* out, int n) {
    __local float k_tile[WIDTH][WIDTH], v_tile[WIDTH][WIDTH];
    int row = get_global_id(0);
    float mine[WIDTH], sums[WIDTH], top = -1e30f, total = 0.0f;
#pragma unroll
    for (int d = 0; d < WIDTH; ++d) {
        mine[d] = q[row * WIDTH + d];
        sums[d] = 0.0f;
    }
    for (int start = 0; start < n; start += WIDTH) {
        for (int i = get_local_id(0); i < WIDTH * WIDTH; i += 128) {
            k_tile[i / WIDTH][i % WIDTH] = keys[start * WIDTH + i];
            v_tile[i / WIDTH][i % WIDTH] = values[start * WIDTH + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < WIDTH; ++j) {
            float score = 0.0f;
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) score += mine[d] * k_tile[j][d];
            float higher = fmax(top, score), shrink = exp(top - higher), weight = exp(score - higher);
            top = higher;
            total = total * shrink + weight;
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) sums[d] = sums[d] * shrink + weight * v_tile[j][d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int d = 0; d < WIDTH; ++d) out[row * WIDTH + d] = sums[d] / total;
}
