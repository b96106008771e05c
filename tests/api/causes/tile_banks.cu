// bank_conflicts: a column of a tile whose rows are 32 words; mended: 33.
template <int width>
__device__ void turn(float* out, const float* in) {
    __shared__ float tile[32 * width];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float* from = in + blockIdx.x * 1024;
    for (int r = warp; r < 32; r += 8) tile[r * width + lane] = from[r * 32 + lane];
    __syncthreads();
    for (int r = warp; r < 32; r += 8) out[blockIdx.x * 1024 + r * 32 + lane] = tile[lane * width + r];
}
extern "C" __global__ void planted_tile_banks(float* out, const float* in, int n) { turn<32>(out, in); }
extern "C" __global__ void mended_tile_banks(float* out, const float* in, int n) { turn<33>(out, in); }
