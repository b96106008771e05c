#include "check.h"
__constant__ float weights[4];
__device__ int counter = 3;
__device__ int table[8];
__global__ void use(float* out) {
    out[threadIdx.x] = weights[threadIdx.x] * counter;
    table[threadIdx.x] = threadIdx.x + 10;
}
int main() {
    const float w[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(weights, w, sizeof w));
    int c = 0;
    OK(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 3);
    c = 5;
    OK(cudaMemcpyToSymbol(counter, &c, sizeof c));
    float *out, got[4];
    OK(cudaMalloc(&out, sizeof got));
    use<<<1, 4>>>(out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) CHECK(got[i] == w[i] * 5);
    int some[2];
    OK(cudaMemcpyFromSymbol(some, table, sizeof some, 2 * sizeof(int)));
    CHECK(some[0] == 12 && some[1] == 13);
    size_t bytes = 0;
    OK(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof(int) * 8);
    void* at;
    OK(cudaGetSymbolAddress(&at, table));
    OK(cudaMemcpy(some, at, sizeof some, cudaMemcpyDeviceToHost));
    CHECK(some[0] == 10);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w, 4) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol((const void*)w, w, 4) == cudaErrorInvalidSymbol);
    std::puts("passed");
}
