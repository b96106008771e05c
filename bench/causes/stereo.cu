// narrow_access: two channels of 16-bit samples are mixed, a sample for each thread; mended: eight.
// planted_grid 16384; mended_grid 2048
extern "C" __global__ void planted_stereo(short* out, const short* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (in[i] + in[16 * n + i]) >> 1;
}
__device__ int mixed(int a, int b) {
    return (((short)a + (short)b) >> 1 & 0xffff) | ((a >> 16) + (b >> 16)) >> 1 << 16;
}
extern "C" __global__ void mended_stereo(int4* out, const int4* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 a = in[i], b = in[2 * n + i];
    a.x = mixed(a.x, b.x), a.y = mixed(a.y, b.y), a.z = mixed(a.z, b.z), a.w = mixed(a.w, b.w);
    out[i] = a;
}
