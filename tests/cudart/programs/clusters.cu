// Cooperative groups of clusters, compiled for compute capability 9.0: ranks, barriers, shared memory of the other blocks; and
// a pointer chase that times itself.
#include <cooperative_groups.h>
#include <utility>
#include <vector>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) pass_on(int* out) {
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = blockIdx.x * 100;
    cluster.sync();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int* there = cluster.map_shared_rank(&mine, next);
    if (threadIdx.x == 0) out[blockIdx.x] = *there + cluster.query_shared_rank(there) + 10 * cluster.block_index().x;
    if (cluster.thread_rank() == 37 && blockIdx.x < 4) out[8] = cluster.num_threads() + cluster.thread_index().x;
    if (cluster.thread_rank() == 0 && blockIdx.x < 4) out[9] = cluster.dim_threads().x + cluster.dim_blocks().x + cluster.size();
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
}
__global__ void alone(int* out) { out[0] = cg::this_cluster().num_blocks() * 10 + cg::this_cluster().block_rank(); }

__global__ void chase(const unsigned* next, int places, int steps, long long* cycles, unsigned* sink) {
    unsigned p = 0;
    for (int i = 0; i < places; ++i) p = next[p];
    const long long start = clock64();
    for (int i = 0; i < steps; ++i) p = next[p];
    *sink = p;
    *cycles = clock64() - start;
}

double cycles_of_a_step(size_t bytes) {
    const int stride = 32, places = int(bytes / 4 / stride), steps = places < 1024 ? 1024 : places;
    std::vector<unsigned> order(bytes / 4);
    for (int i = 0; i < places; ++i) order[i * stride] = (i + 1) % places * stride;
    unsigned *next, *sink;
    long long* cycles;
    OK(cudaMalloc(&next, bytes));
    OK(cudaMallocManaged(&cycles, 16));
    sink = (unsigned*)(cycles + 1);
    OK(cudaMemcpy(next, order.data(), bytes, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>(next, places, steps, cycles, sink);
    OK(cudaDeviceSynchronize());
    const double each = double(*cycles) / steps;
    OK(cudaFree(next));
    OK(cudaFree(cycles));
    return each;
}

int main() {
    int* out;
    OK(cudaMallocManaged(&out, 10 * sizeof(int)));
    pass_on<<<8, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int block = 0; block < 8; ++block) {
        const int rank = block % 4, next = (rank + 1) % 4;
        CHECK(out[block] == (block / 4 * 4 + next) * 100 + next + 10 * rank);
    }
    CHECK(out[8] == 128 + 37 && out[9] == 128 + 4 + 128);
    alone<<<1, 32>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == 10);
    // The models of H100 and H200: about 33 cycles in the first level, 270 to 281 in the second, 680 in DRAM, and what the address takes.
    const double first = cycles_of_a_step(16 << 10), second = cycles_of_a_step(4 << 20), dram = cycles_of_a_step(64 << 20);
    std::printf("%.1f %.1f %.1f\n", first, second, dram);
    CHECK(first > 30 && first < 45 && second > 200 && second < 320 && dram > 500 && dram < 900);
    CHECK(cycles_of_a_step(64 << 10) == first);
    std::puts("passed");
}
