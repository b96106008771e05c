// uncoalesced_store: the innermost of three dimensions is not the thread's; mended: it is.
extern "C" __global__ void planted_planes(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, x = i / 64 % 64, y = i / 4096, z = i % 64;
    out[(y * 64 + z) * 64 + x] = in[i] * 2.0f;
}
extern "C" __global__ void mended_planes(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] * 2.0f;
}
