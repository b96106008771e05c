// Threads of the host that all use the library at once.
#include <thread>
#include <vector>
#include "check.h"
__global__ void add(int* x, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += v;
}
static void work(int id) {
    const int n = 5000;
    std::vector<int> h(n, id);
    int* d;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int round = 0; round < 5; ++round) {
        OK(cudaMalloc(&d, n * 4));
        OK(cudaMemcpyAsync(d, h.data(), n * 4, cudaMemcpyHostToDevice, s));
        add<<<(n + 127) / 128, 128, 0, s>>>(d, n, 1);
        OK(cudaMemcpyAsync(h.data(), d, n * 4, cudaMemcpyDeviceToHost, s));
        OK(cudaStreamSynchronize(s));
        OK(cudaFree(d));
    }
    for (int v : h) CHECK(v == id + 5);
    OK(cudaStreamDestroy(s));
}
int main() {
    std::vector<std::thread> all;
    for (int t = 0; t < 6; ++t) all.emplace_back(work, 100 * t);
    for (auto& t : all) t.join();
    std::puts("passed");
}
