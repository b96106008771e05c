// Shared and constant memory, barriers, atomics, initialised data, tables of addresses.
#include "tiny_cuda.h"

__constant__ float coefficients[8] = {1.0f, -2.5f, 3.25f, 0.0f, 1e-7f};
__device__ int table[2][3] = {{1, 2, 3}, {4}};
__device__ double slopes[4] = {0.5, -1.0};
__device__ const char* words[3] = {"one", "two", "three"};
__device__ int* where = &table[1][0];
struct Node {
    Node* next;
    short id;
    char c;
};
__device__ Node second = {nullptr, 2, 'b'};
__device__ Node first = {&second, 1, 'a'};
extern __shared__ float dynamic[];

template <int T>
__device__ void tile_body(const float* a, const float* b, float* c, int n) {
    __shared__ float sa[T][T], sb[T][T + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        sa[y][x] = a[row * n + k + x];
        sb[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < T; ++j) sum += sa[y][j] * sb[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void matmul16(const float* a, const float* b, float* c, int n) { tile_body<16>(a, b, c, n); }

extern "C" __global__ void reduce(const float* in, float* out, int n) {
    int t = threadIdx.x;
    dynamic[t] = t < n ? in[t] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) dynamic[t] += dynamic[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = dynamic[0] * coefficients[blockIdx.x & 7];
}

extern "C" __global__ void chase(int* out) {
    int k = 0;
    for (Node* p = &first; p; p = p->next) out[k++] = p->id + p->c;
    out[k] = *where + table[k & 1][2] + words[k % 3][0] + (int)slopes[k & 3];
}

extern "C" __global__ void bump(int* counter, unsigned long long* big, volatile int* flag) {
#ifdef __NVCC__
    atomicAdd(counter, 1);
    atomicCAS(big, 1ull, 2ull);
    atomicMax(counter, 5);
    __threadfence();
#else
    __nvvm_atom_add_gen_i(counter, 1);
    __nvvm_atom_cas_gen_ll((long long*)big, 1, 2);
    __nvvm_atom_max_gen_i(counter, 5);
    __nvvm_membar_gl();
#endif
    *flag = 1;
}
