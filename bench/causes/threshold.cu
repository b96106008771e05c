// narrow_access: a threshold of an image of bytes, a byte for each thread; mended: sixteen.
// planted_grid 32768; mended_grid 2048
extern "C" __global__ void planted_threshold(unsigned char* out, const unsigned char* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] > 127 ? 255 : 0;
}
extern "C" __global__ void mended_threshold(uint4* out, const uint4* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i];
    v.x = __vcmpgtu4(v.x, 0x7f7f7f7fu), v.y = __vcmpgtu4(v.y, 0x7f7f7f7fu);
    v.z = __vcmpgtu4(v.z, 0x7f7f7f7fu), v.w = __vcmpgtu4(v.w, 0x7f7f7f7fu);
    out[i] = v;
}
