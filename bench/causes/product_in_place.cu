// no_reuse: a product adds to its element in global memory in each turn; mended: to a register.
// block 16x16; grid 16x16
extern "C" __global__ void planted_product_in_place(float* c, const float* ab, int n) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    c[row * 256 + col] = 0.0f;
    for (int k = 0; k < 256; ++k) c[row * 256 + col] += ab[row * 256 + k] * ab[65536 + k * 256 + col];
}
extern "C" __global__ void mended_product_in_place(float* c, const float* ab, int n) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 256; ++k) sum += ab[row * 256 + k] * ab[65536 + k * 256 + col];
    c[row * 256 + col] = sum;
}
