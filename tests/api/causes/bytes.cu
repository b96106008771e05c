// narrow_access: a byte for each thread; mended: sixteen.
// planted_grid 16384; mended_grid 1024
extern "C" __global__ void planted_bytes(unsigned char* out, const unsigned char* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 255 - in[i];
}
extern "C" __global__ void mended_bytes(uint4* out, const uint4* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 x = in[i];
    x.x = ~x.x, x.y = ~x.y, x.z = ~x.z, x.w = ~x.w;
    out[i] = x;
}
