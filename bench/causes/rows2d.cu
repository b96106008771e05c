// uncoalesced_load: blocks of 16 by 16 read columns, which the first level holds.
extern "C" __global__ void planted_rows2d(float* o, const float* a, int n) {
    int r = blockIdx.x % 32 * 16 + threadIdx.x % 16, c = blockIdx.x / 32 * 16 + threadIdx.x / 16;
    o[c * 512 + r] = a[r * 512 + c] * 2.f;
}
extern "C" __global__ void mended_rows2d(float* o, const float* a, int n) {
    int r = blockIdx.x % 32 * 16 + threadIdx.x % 16, c = blockIdx.x / 32 * 16 + threadIdx.x / 16;
    o[c * 512 + r] = a[c * 512 + r] * 2.f;
}
