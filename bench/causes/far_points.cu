// double_precision: distances by the double form of a root; mended: by the single one.
extern "C" __global__ void planted_far_points(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = in[i], y = in[n + i];
    float most = 0;
    for (int k = 0; k < 32; ++k) {
        const float dx = x - in[2 * n + k], dy = y - in[3 * n + k], far = sqrt((double)dx * dx + (double)dy * dy);
        most = far > most ? far : most;
    }
    out[i] = most;
}
extern "C" __global__ void mended_far_points(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = in[i], y = in[n + i];
    float most = 0;
    for (int k = 0; k < 32; ++k) {
        const float dx = x - in[2 * n + k], dy = y - in[3 * n + k], far = sqrtf(dx * dx + dy * dy);
        most = far > most ? far : most;
    }
    out[i] = most;
}
