// What a program allocates and frees again leaves nothing in this library's own tables, however often.
#include <malloc.h>

#include "check.h"
static size_t heap() { return mallinfo2().uordblks; }
int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    auto once = [&] {
        void *p, *q;
        OK(cudaMalloc(&p, 1000));
        OK(cudaFree(p));
        OK(cudaMallocAsync(&q, 1000, s));
        OK(cudaFreeAsync(q, s));
    };
    // Tables grow to their size first.
    for (int k = 0; k < 10000; ++k) once();
    OK(cudaStreamSynchronize(s));
    const size_t before = heap();
    for (int k = 0; k < 50000; ++k) once();
    OK(cudaStreamSynchronize(s));
    const size_t after = heap();
    // A byte for each of the 100,000 allocations.
    if (after > before + 100000) std::printf("%zu bytes more\n", after - before);
    CHECK(after <= before + 100000);
    OK(cudaStreamDestroy(s));
    std::puts("passed");
}
