// The kernels under test: a transposition in three versions, and a sum.
__global__ void transpose_naive(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8) out[x * n + y] = in[y * n + x];
}

template <int padding>
__device__ void transpose_tile(const float* in, float* out, int n) {
    __shared__ float tile[32][32 + padding];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][k];
}
__global__ void transpose_tiled(const float* in, float* out, int n) { transpose_tile<0>(in, out, n); }
__global__ void transpose_padded(const float* in, float* out, int n) { transpose_tile<1>(in, out, n); }

__global__ void sum(const int* in, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
#ifndef FORGET_THE_BARRIER
        __syncthreads();
#endif
    }
    if (t == 0) atomicAdd(out, s[0]);
}
