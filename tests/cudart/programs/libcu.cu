// cuda::atomic, barrier, pipeline, latch and semaphores where no toolkit brings libcu++: producers and consumers, stages of
// copies, scopes and orders, on host and device.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/tuple>
#include "check.h"
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// The first warp fills two buffers in turn, the others add them up.
__global__ void produce_and_consume(int* out, int rounds) {
    __shared__ block_barrier ready[2], filled[2];
    __shared__ int buffer[2][64];
    if (threadIdx.x < 2) {
        init(ready + threadIdx.x, blockDim.x);
        init(filled + threadIdx.x, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; ++r) {
            ready[r % 2].arrive_and_wait();
            for (int i = threadIdx.x; i < 64; i += 32) buffer[r % 2][i] = r * 100 + i;
            (void)filled[r % 2].arrive();
        }
    } else {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        int sum = 0;
        for (int r = 0; r < rounds; ++r) {
            filled[r % 2].arrive_and_wait();
            sum += buffer[r % 2][threadIdx.x - 32];
            (void)ready[r % 2].arrive();
        }
        out[threadIdx.x - 32] = sum;
    }
}
template <int Stages> __global__ void staged(const int* in, int* out, int batches) {
    __shared__ int stage[Stages][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int compute = 0, fetch = 0; compute < batches; ++compute) {
        for (; fetch < batches && fetch < compute + Stages; ++fetch) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % Stages], in + fetch * 128, sizeof(int) * 128, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[compute * 128 + threadIdx.x] = stage[compute % Stages][127 - threadIdx.x];
        pipe.consumer_release();
    }
}
__global__ void own_pipe(const int* in, int* out) {
    __shared__ int stage[2][64];
    auto pipe = cuda::make_pipeline();
    for (int s = 0; s < 2; ++s) {
        pipe.producer_acquire();
        cuda::memcpy_async(&stage[s][threadIdx.x], in + s * 64 + threadIdx.x, sizeof(int), pipe);
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    out[threadIdx.x] = stage[0][threadIdx.x];
    pipe.consumer_wait();
    out[64 + threadIdx.x] = stage[1][threadIdx.x];
    pipe.consumer_release();
}
__global__ void whole_copy(const int* in, int* out) {
    __shared__ block_barrier done;
    __shared__ alignas(16) int copy[256];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&done, block.size());
    block.sync();
    cuda::memcpy_async(block, copy, in, cuda::aligned_size_t<16>(sizeof copy), done);
    done.arrive_and_wait();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = copy[255 - i];
}
struct counters {
    cuda::atomic<int, cuda::thread_scope_device> relaxed;
    cuda::atomic<unsigned long long, cuda::thread_scope_device> bits;
    cuda::atomic<float, cuda::thread_scope_device> real;
    cuda::atomic<unsigned char, cuda::thread_scope_device> byte;
    cuda::atomic<short> least;
    cuda::atomic<double> most;
    cuda::counting_semaphore<cuda::thread_scope_device, 2> two;
    cuda::latch<cuda::thread_scope_device> all;
    int in_turn, after;
};
__global__ void orders(counters* c, int blocks) {
    c->relaxed.fetch_add(1, cuda::memory_order_relaxed);
    c->bits.fetch_or(1ull << threadIdx.x, cuda::std::memory_order_acq_rel);
    c->real += 0.5f;
    c->byte.fetch_add(1, cuda::memory_order_relaxed);
    c->least.fetch_min((short)-threadIdx.x);
    c->most.fetch_max(threadIdx.x * 0.25);
    if (threadIdx.x == 0) {
        c->two.acquire();
        atomicAdd(&c->in_turn, 1);
        c->two.release();
        c->all.arrive_and_wait();
        cuda::atomic_ref<int, cuda::thread_scope_device> after(c->after);
        // Atomics are often reached through volatile, where other threads of the host or the device change them.
        volatile auto& seen = c->relaxed;
        if (seen.load(cuda::memory_order_acquire) >= blocks && seen >= blocks) after.fetch_add(1);
    }
}
__global__ void start(counters* c, int blocks) {
    c->relaxed = 0, c->bits = 0, c->real = 0, c->byte = 0, c->least = 0, c->most = 0, c->in_turn = c->after = 0;
    init(&c->two, 2);
    init(&c->all, blocks);
}
int main() {
    int host[1024], got[1024], *in, *out;
    for (int i = 0; i < 1024; ++i) host[i] = i * 3 + 1;
    OK(cudaMalloc(&in, 4096));
    OK(cudaMalloc(&out, 4096));
    OK(cudaMemcpy(in, host, 4096, cudaMemcpyHostToDevice));
    produce_and_consume<<<1, 96>>>(out, 7);
    OK(cudaMemcpy(got, out, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) CHECK(got[i] == 2100 + 7 * i);
    staged<2><<<1, 128>>>(in, out, 8);
    OK(cudaMemcpy(got, out, 4096, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; ++i) CHECK(got[i] == host[i / 128 * 128 + 127 - i % 128]);
    OK(cudaMemset(out, 0, 4096));
    staged<3><<<1, 128>>>(in, out, 8);
    OK(cudaMemcpy(got, out, 4096, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; ++i) CHECK(got[i] == host[i / 128 * 128 + 127 - i % 128]);
    own_pipe<<<1, 64>>>(in, out);
    OK(cudaMemcpy(got, out, 512, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; ++i) CHECK(got[i] == host[i]);
    whole_copy<<<1, 64>>>(in, out);
    OK(cudaMemcpy(got, out, 1024, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; ++i) CHECK(got[i] == host[255 - i]);
    counters* c;
    OK(cudaMallocManaged(&c, sizeof *c));
    start<<<1, 1>>>(c, 6);
    orders<<<6, 64>>>(c, 6);
    OK(cudaDeviceSynchronize());
    CHECK(c->relaxed.load() == 384 && c->bits.load() == ~0ull && c->real.load() == 192.0f && c->byte.load() == (unsigned char)384);
    CHECK(c->least.load() == -63 && c->most.load() == 15.75 && c->in_turn == 6 && c->after == 6);
    cuda::atomic<int> on_host(3);
    on_host += 4;
    int seven = 7;
    CHECK(on_host.compare_exchange_strong(seven, 9) && on_host == 9);
    CHECK(cuda::std::get<1>(cuda::std::make_tuple(1, 2.5)) == 2.5);
    std::puts("passed");
}
