// Cooperative groups as programs use them: groups of any kind, partitions by label and by predicate, tiles of several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "check.h"
namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group g, int* scratch, int v) {
    const int rank = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        scratch[rank] = v;
        g.sync();
        if (rank < i) v += scratch[rank + i];
        g.sync();
    }
    return v;
}
__global__ void any_kind(int* out) {
    extern __shared__ int scratch[];
    auto block = cg::this_thread_block();
    const int whole = sum(block, scratch, threadIdx.x);
    if (threadIdx.x == 0) out[0] = whole;
    cg::thread_group tile = cg::tiled_partition(block, 16);
    const int part = sum(tile, scratch + threadIdx.x / 16 * 16, threadIdx.x);
    if (tile.thread_rank() == 0) out[1 + threadIdx.x / 16] = part;
}
__global__ void by_label(const int* label, int* counter, int* size, int* groups, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto active = cg::coalesced_threads();
    auto same = cg::labeled_partition(active, label[i]);
    if (same.thread_rank() == 0) atomicAdd(&counter[label[i]], same.size());
    size[i] = same.size();
    groups[i] = same.meta_group_size();
    auto odd = cg::binary_partition(active, label[i] & 1);
    const int all = cg::reduce(odd, label[i], cg::plus<int>());
    if (odd.thread_rank() == 0) atomicAdd(&counter[10 + odd.meta_group_rank()], all);
}
__global__ void large(int* out, float* least) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    const int total = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    const float low = cg::reduce(tile, 1000.0f - threadIdx.x, cg::less<float>());
    out[threadIdx.x] = total;
    if (tile.thread_rank() == 0) least[tile.meta_group_rank()] = low;
    const int from = tile.shfl((int)threadIdx.x, 5);
    out[256 + threadIdx.x] = from;
    auto small = cg::tiled_partition<4>(cg::tiled_partition<32>(block));
    out[512 + threadIdx.x] = cg::exclusive_scan(small, 1) + 10 * small.meta_group_rank() + 100 * cg::inclusive_scan(small, 2, cg::plus<int>());
    cg::invoke_one(block, [&] { least[5] = 7; });
    const int told = cg::invoke_one_broadcast(small, [&] { return (int)threadIdx.x; });
    out[768 + threadIdx.x] = told;
}
// A structure of three numbers goes from lane to lane by its words.
struct Best { double sum; float top; short where; };
__global__ void structures(Best* best, Best* from) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int t = threadIdx.x;
    const Best mine{t * 0.5, (float)(t * 37 % 64), (short)t};
    const Best all = cg::reduce(warp, mine, [](const Best& a, const Best& b) {
        return Best{a.sum + b.sum, a.top > b.top ? a.top : b.top, a.top > b.top ? a.where : b.where};
    });
    if (warp.thread_rank() == 0) best[t / 32] = all;
    if (t % 32 < 20) from[t] = cg::coalesced_threads().shfl(mine, 3);
}

int main() {
    int *out, got[1024];
    OK(cudaMalloc(&out, 4096));
    any_kind<<<1, 64, 256>>>(out);
    OK(cudaMemcpy(got, out, 20, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 2016);
    for (int t = 0; t < 4; ++t) CHECK(got[1 + t] == 16 * (t * 16) + 120);
    const int n = 1000;
    int label[n], counts[12] = {}, *d_label, *counter, *size, *groups, h_size[n], h_groups[n];
    for (int i = 0; i < n; ++i) label[i] = (i * i + i / 7) % 10;
    OK(cudaMalloc(&d_label, sizeof label));
    OK(cudaMalloc(&size, sizeof label));
    OK(cudaMalloc(&groups, sizeof label));
    OK(cudaMalloc(&counter, sizeof counts));
    OK(cudaMemset(counter, 0, sizeof counts));
    OK(cudaMemcpy(d_label, label, sizeof label, cudaMemcpyHostToDevice));
    by_label<<<(n + 127) / 128, 128>>>(d_label, counter, size, groups, n);
    OK(cudaMemcpy(counts, counter, sizeof counts, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(h_size, size, sizeof label, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(h_groups, groups, sizeof label, cudaMemcpyDeviceToHost));
    int expected[12] = {};
    for (int i = 0; i < n; ++i) {
        ++expected[label[i]];
        expected[10 + (label[i] & 1)] += label[i];
        int alike = 0, kinds = 0;
        bool seen[10] = {};
        for (int k = i / 32 * 32; k < n && k < i / 32 * 32 + 32; ++k) {
            alike += label[k] == label[i];
            kinds += !seen[label[k]];
            seen[label[k]] = true;
        }
        CHECK(h_size[i] == alike && h_groups[i] == kinds);
    }
    for (int i = 0; i < 12; ++i) CHECK(counts[i] == expected[i]);
    float *least, low[6];
    OK(cudaMalloc(&least, sizeof low));
    large<<<1, 256>>>(out, least);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(low, least, sizeof low, cudaMemcpyDeviceToHost));
    CHECK(low[0] == 1000 - 127 && low[1] == 1000 - 255 && low[5] == 7);
    for (int i = 0; i < 256; ++i) {
        CHECK(got[i] == (i < 128 ? 8128 : 8128 + 128 * 128));
        CHECK(got[256 + i] == i / 128 * 128 + 5);
        CHECK(got[512 + i] == i % 4 + 10 * (i % 32 / 4) + 200 * (i % 4 + 1));
        CHECK(got[768 + i] == i / 4 * 4);
    }
    Best *best, *from;
    OK(cudaMallocManaged(&best, 2 * sizeof(Best)));
    OK(cudaMallocManaged(&from, 64 * sizeof(Best)));
    structures<<<1, 64>>>(best, from);
    OK(cudaDeviceSynchronize());
    for (int w = 0; w < 2; ++w) {
        Best wanted{0, -1, -1};
        for (int t = w * 32; t < w * 32 + 32; ++t) {
            wanted.sum += t * 0.5;
            if (t * 37 % 64 > wanted.top) wanted.top = (float)(t * 37 % 64), wanted.where = (short)t;
        }
        CHECK(best[w].sum == wanted.sum && best[w].top == wanted.top && best[w].where == wanted.where);
        CHECK(from[w * 32 + 9].where == w * 32 + 3 && from[w * 32 + 9].sum == (w * 32 + 3) * 0.5);
    }
    std::puts("passed");
}
