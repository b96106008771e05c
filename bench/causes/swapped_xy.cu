// uncoalesced_load: x and y of the thread are taken the wrong way round, the result is stored by rows; mended: they are not.
// block 16x16; grid 32x32
extern "C" __global__ void planted_swapped_xy(float* out, const float* image, int n) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += image[(size_t)x * 16384 + k * 512 + y] * (k + 1);
    out[y * 512 + x] = sum;
}
extern "C" __global__ void mended_swapped_xy(float* out, const float* image, int n) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += image[(size_t)y * 16384 + k * 512 + x] * (k + 1);
    out[y * 512 + x] = sum;
}
