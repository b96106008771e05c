// Managed variables: one value that host and device see, from its first one on.
#include "check.h"

struct Pair {
    int a;
    double b;
};
__managed__ int counter = 41;
__managed__ float table[256];
static __managed__ Pair pair = {1, 2.5};
__device__ __managed__ int untouched[3] = {1, 2, 3};
__device__ int plain = 5;

__global__ void work() {
    table[threadIdx.x] += 2.0f * threadIdx.x;
    if (threadIdx.x == 0) counter += plain, pair.b *= pair.a;
}

int main() {
    CHECK(counter == 41 && pair.a == 1 && pair.b == 2.5 && untouched[2] == 3);
    counter = 100;
    pair.a = 4;
    for (int i = 0; i < 256; ++i) table[i] = 1.0f;
    work<<<1, 256>>>();
    OK(cudaDeviceSynchronize());
    CHECK(counter == 105 && pair.b == 10.0);
    for (int i = 0; i < 256; ++i) CHECK(table[i] == 1.0f + 2.0f * i);
    int seven = 7, read = 0;
    OK(cudaMemcpyToSymbol(counter, &seven, sizeof seven));
    CHECK(counter == 7);
    counter = 8;
    OK(cudaMemcpyFromSymbol(&read, counter, sizeof read));
    CHECK(read == 8);
    float* p;
    OK(cudaGetSymbolAddress((void**)&p, table));
    CHECK(p == table);
    std::printf("passed\n");
}
