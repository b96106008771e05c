// Tiles of halves and bytes, written by rows and read by columns, or the other way round: what other warps have written
// is read before the barrier. A column's lanes lie at one distance.
// check: --grid 2 --block 32x4 --arg i32[256]=iota --arg i32[256]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ unsigned short halves[32][32];
    __shared__ unsigned char bytes[32][32];
    int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 4 + y) * 32 + x;
    for (int r = y; r < 32; r += 4) halves[r][x] = in[i];  // FINDING race-shared race-lanes
    int seen = halves[x][y];                               // FINDING race-shared race-lanes
    __syncthreads();
    for (int r = y; r < 32; r += 4) bytes[x][r] = in[i];  // FINDING race-shared race-lanes
    seen += bytes[y][x];                                  // FINDING race-shared race-lanes
    out[i] = seen;
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ unsigned short halves[32][32];
    __shared__ unsigned char bytes[32][32];
    int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 4 + y) * 32 + x;
    for (int r = y; r < 32; r += 4) halves[r][x] = in[i];
    __syncthreads();
    int seen = halves[x][y];
    for (int r = y; r < 32; r += 4) bytes[x][r] = in[i];
    __syncthreads();
    seen += bytes[y][x];
    out[i] = seen;
}
