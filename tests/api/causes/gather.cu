// uncoalesced_load: neighbouring threads read at places drawn by a hash; mended: the places of a warp follow each other.
__device__ unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
extern "C" __global__ void planted_gather(float* out, const float* in, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[hash(i) & (n * 8 - 1)];
}
extern "C" __global__ void mended_gather(float* out, const float* in, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[((hash(i / 32) & (n / 4 - 1)) * 32 + i % 32)];
}
