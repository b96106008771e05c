// A buffer for each round, of which only the last is freed; and one that a helper's caller forgets.
#include <cstdio>
#include <cstdlib>
static float* buffer(size_t bytes) {
    void* p = nullptr;
    if (cudaMalloc(&p, bytes) != cudaSuccess) std::exit(1);  // FINDING leak
    return static_cast<float*>(p);
}
__global__ void fill(float* x) { x[threadIdx.x] = 1; }
// The destructor runs after main: what it frees is no leak.
struct Keeper {
    int* kept = nullptr;
    ~Keeper() { cudaFree(kept); }
} keeper;
int main() {
    int* x = nullptr;
    cudaMalloc(&keeper.kept, 256);
    for (int round = 0; round < 3; ++round) {
        if (cudaMalloc(&x, 1024) != cudaSuccess) return 1;  // FINDING leak
#ifdef RIGHT
        cudaFree(x);
#endif
    }
#ifndef RIGHT
    cudaFree(x);
#endif
    float *a = buffer(4096), *b = buffer(8192);
    fill<<<1, 32>>>(a);
    fill<<<1, 32>>>(b);
    cudaFree(a);
#ifdef RIGHT
    cudaFree(b);
#endif
    return cudaDeviceSynchronize();
}
