// narrow_access: an addition of 16-bit numbers, one for each thread; mended: eight of them.
// planted_grid 8192; mended_grid 1024
extern "C" __global__ void planted_halves(unsigned short* out, const unsigned short* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + in[i + 8 * n];
}
extern "C" __global__ void mended_halves(uint4* out, const uint4* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    uint4 a = in[i], b = in[i + n];
    out[i] = make_uint4(__vadd2(a.x, b.x), __vadd2(a.y, b.y), __vadd2(a.z, b.z), __vadd2(a.w, b.w));
}
