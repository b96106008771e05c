// divergence: of a red-black relaxation, every second thread solves its point; mended: threads count the red points.
// mended_grid 512
__device__ float solved(float v, float left, float right) {
    float u = v;
    for (int k = 0; k < 24; ++k) u = u - 0.1f * (u * u * u - left * u + right);
    return u;
}
extern "C" __global__ void planted_red_black(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % 512, y = i / 512;
    if ((x + y) % 2 == 0) out[i] = solved(in[i], in[i + 1], in[i + 512]);
}
extern "C" __global__ void mended_red_black(float* out, const float* in, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, y = j / 256, i = y * 512 + 2 * (j % 256) + y % 2;
    out[i] = solved(in[i], in[i + 1], in[i + 512]);
}
