// A .cpp file that nvcc would be told is CUDA (-x cu), with OpenMP in its host code.
#include <omp.h>

#include "check.h"

__global__ void square(int* p) { p[threadIdx.x] *= p[threadIdx.x]; }

int main() {
    int values[64], *d, sum = 0;
#pragma omp parallel for
    for (int i = 0; i < 64; ++i) values[i] = i;
    OK(cudaMalloc(&d, sizeof values));
    OK(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    square<<<1, 64>>>(d);
    OK(cudaMemcpy(values, d, sizeof values, cudaMemcpyDeviceToHost));
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 64; ++i) sum += values[i];
    CHECK(sum == 63 * 64 * 127 / 6);
    CHECK(omp_get_max_threads() >= 1 && omp_get_thread_num() == 0);
    std::printf("passed\n");
}
