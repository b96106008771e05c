// The same product; the size of the shared memory is given by the launch. One array holds both tiles, one behind the
// other, and the tile's side is the block's, so that one compiled kernel serves every tile.
extern "C" __global__ void tiles_dynamic(const float* A, const float* B, float* C, int N) {
    extern __shared__ float shared[];  // 2 tile * tile elements
    int tile = blockDim.x;
    float* tile_a = shared;
    float* tile_b = shared + tile * tile;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * tile + ty;
    int col = blockIdx.x * tile + tx;
    float sum = 0.0f;
    for (int begin = 0; begin < N; begin += tile) {
        tile_a[ty * tile + tx] = row < N && begin + tx < N ? A[row * N + begin + tx] : 0.0f;
        tile_b[ty * tile + tx] = begin + ty < N && col < N ? B[(begin + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += tile_a[ty * tile + k] * tile_b[k * tile + tx];
        __syncthreads();
    }
    if (row < N && col < N) C[row * N + col] = sum;
}
