// Errors that nobody looks at: of a copy, of a launch, of a copy in a function that gives nothing back.
#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = 1; }
#ifdef RIGHT
#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) std::printf("%s\n", cudaGetErrorString(e_));  \
    } while (0)
#else
#define CHECK(call) call
#endif
__attribute__((noinline)) void last_copy(int* to, const int* from) {
    CHECK(cudaMemcpy(to, from, 4096, cudaMemcpyDeviceToHost));  // FINDING api-error
}
int main() {
    int *x = nullptr, host[1024] = {};
    CHECK(cudaMalloc(&x, 1024));
    CHECK(cudaMemcpy(x, host, 4096, cudaMemcpyHostToDevice));  // FINDING api-error
    fill<<<1, 2048>>>(x);  // FINDING api-error
#ifdef RIGHT
    CHECK(cudaGetLastError());
#endif
    last_copy(host, x);
    CHECK(cudaFree(x));
    return 0;
}
