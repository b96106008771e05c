// What launches and copies cost: empty kernels by grid and block, launches one after the other, copies by size.
#include <chrono>
#include <cstring>

#include "calibrate.hpp"

namespace {

__global__ void empty() {}

__global__ void one_store(unsigned* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void with_shared(unsigned* to) {
    extern __shared__ unsigned room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (to != nullptr) to[0] = room[(threadIdx.x + 1) % blockDim.x];
}

__global__ void __launch_bounds__(256) busy(unsigned* to, unsigned count) {
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < count; ++i) x = x * 1664525u + 1013904223u;
    if (x == 12345u) to[0] = x;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

void launch_empty_kernels() {
    unsigned* buffer = nullptr;
    CUDA_CHECK(cudaMalloc(&buffer, std::size_t{1} << 30));
    for (const int threads : {32, 128, 256, 512, 1024}) {
        for (const int blocks : {1, 132, 264, 1056, 2112, 4224, 16896, 67584, 1000000}) {
            empty<<<blocks, threads>>>();
            CUDA_CHECK(cudaGetLastError());
        }
    }
    for (const int threads : {32, 256, 1024}) {
        for (const int blocks : {1, 132, 1056, 4224, 67584}) one_store<<<blocks, threads>>>(buffer);
    }
    CUDA_CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (const int kilobytes : {1, 16, 48, 100, 200}) {
        for (const int blocks : {132, 1056, 16896}) with_shared<<<blocks, 256, kilobytes << 10>>>(nullptr);
    }
    for (const unsigned count : {0u, 16u, 64u, 256u, 1024u, 4096u}) {
        for (const int blocks : {132, 1056, 4224, 16896}) busy<<<blocks, 256>>>(buffer, count);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(buffer));
}

void measure_launches(Rows& rows) {
    for (const int threads : {32, 128, 256, 1024}) {
        for (const int blocks : {1, 132, 1056, 4224, 16896, 67584, 1000000}) {
            const int batch = blocks > 20000 ? 4 : 50;
            const double time = seconds([&] {
                for (int i = 0; i < batch; ++i) empty<<<blocks, threads>>>();
            });
            rows.begin("empty_kernel").field("blocks", blocks).field("threads", threads);
            rows.field("seconds_each", time / batch);
            rows.field("seconds_one_between_events", seconds([&] { empty<<<blocks, threads>>>(); }, 9)).end();
        }
    }
    rows.begin("events").field("seconds_between_two_events", seconds([] {}, 9)).end();
    std::vector<double> rate, round;
    for (int s = 0; s < 5; ++s) {
        CUDA_CHECK(cudaDeviceSynchronize());
        double start = now();
        for (int i = 0; i < 500; ++i) empty<<<1, 32>>>();
        rate.push_back((now() - start) / 500);
        CUDA_CHECK(cudaDeviceSynchronize());
        start = now();
        for (int i = 0; i < 50; ++i) {
            empty<<<1, 32>>>();
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        round.push_back((now() - start) / 50);
    }
    rows.begin("launch").field("host_seconds_each", median(rate)).field("launch_and_wait_seconds", median(round)).end();
}

void measure_copies(Rows& rows) {
    const std::size_t most = std::size_t{256} << 20;
    char *device = nullptr, *pinned = nullptr;
    CUDA_CHECK(cudaMalloc(&device, 2 * most));
    CUDA_CHECK(cudaMallocHost(&pinned, most));
    std::vector<char> pageable(most, 1);
    std::memset(pinned, 1, most);
    for (std::size_t bytes = 4; bytes <= most; bytes *= 8) {
        const auto timed = [&](const char* name, void* to, const void* from, cudaMemcpyKind kind) {
            std::vector<double> host;
            for (int i = 0; i < 4; ++i) {
                CUDA_CHECK(cudaDeviceSynchronize());
                const double start = now();
                CUDA_CHECK(cudaMemcpy(to, from, bytes, kind));
                CUDA_CHECK(cudaDeviceSynchronize());
                host.push_back(now() - start);
            }
            const double events = seconds([&] { CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind)); }, 3);
            rows.begin("memory_copy").field("kind", name).field("bytes", double(bytes));
            rows.field("host_seconds", median(host)).field("event_seconds", events).end();
        };
        timed("host to device, pinned", device, pinned, cudaMemcpyHostToDevice);
        timed("device to host, pinned", pinned, device, cudaMemcpyDeviceToHost);
        timed("host to device, pageable", device, pageable.data(), cudaMemcpyHostToDevice);
        timed("device to host, pageable", pageable.data(), device, cudaMemcpyDeviceToHost);
        timed("device to device", device + most, device, cudaMemcpyDeviceToDevice);
    }
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaFreeHost(pinned));
}
