// Memory that is larger than this machine's: what is not touched costs nothing. TOUCH: bytes that are written.
#include <cstdlib>

#include "check.h"

__global__ void mark(unsigned* at, unsigned long long words, unsigned long long step) {
    const unsigned long long k = (blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x) * step;
    if (k < words) at[k] = at[k] + static_cast<unsigned>(k >> 20) + 1;
}

int main() {
    const unsigned long long bytes = 120'000'000'000ull, words = bytes / 4, step = words / 64;
    unsigned* at = nullptr;
    OK(cudaMalloc(&at, bytes));
    OK(cudaMemset(at, 0, bytes));
    mark<<<1, 64>>>(at, words, step);
    OK(cudaDeviceSynchronize());
    unsigned last = 0;
    OK(cudaMemcpy(&last, at + 63 * step, 4, cudaMemcpyDeviceToHost));
    CHECK(last == static_cast<unsigned>(63 * step >> 20) + 1);
    OK(cudaMemset(at, 0, bytes));
    OK(cudaMemcpy(&last, at + 63 * step, 4, cudaMemcpyDeviceToHost));
    CHECK(last == 0);
    size_t free_bytes = 0, all = 0;
    OK(cudaMemGetInfo(&free_bytes, &all));
    CHECK(all - free_bytes >= bytes);
    void* more = nullptr;
    CHECK(cudaMalloc(&more, bytes) == cudaErrorMemoryAllocation);
    (void)cudaGetLastError();
    if (const char* touch = std::getenv("TOUCH")) {
        OK(cudaMemset(at, 1, std::strtoull(touch, nullptr, 10)));
        OK(cudaMemcpy(&last, at + 1000, 4, cudaMemcpyDeviceToHost));
        CHECK(last == 0x01010101u);
    }
    OK(cudaFree(at));
    std::puts("passed");
}
