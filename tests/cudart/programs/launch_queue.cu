// A stream takes 1,024 launches ahead of its work, as a GPU's queue does: then the thread that launches waits until there
// is room. Threads that launch without end therefore do not keep others from memory that is freed after all that was queued.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>
#include "check.h"

__global__ void count(int* n) { atomicAdd(n, 1); }

static std::atomic<bool> open{false};
static void wait_for_gate(void*) {
    while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

static void a_full_queue() {
    constexpr int kBefore = 300, kLaunches = 1800;
    int* n;
    OK(cudaMalloc(&n, sizeof(int)));
    OK(cudaMemset(n, 0, sizeof(int)));
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    std::atomic<int> launched{0};
    std::thread launcher([&] {
        for (int k = 0; k < kLaunches; ++k) {
            if (k == kBefore) OK(cudaLaunchHostFunc(stream, wait_for_gate, nullptr));
            count<<<1, 1, 0, stream>>>(n);
            ++launched;
        }
    });
    // All of the queue's places serve what stands behind the gate.
    while (launched < kBefore + 1000) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(launched <= kBefore + 1024);
    open = true;
    launcher.join();
    CHECK(launched == kLaunches);
    OK(cudaStreamSynchronize(stream));
    int got = 0;
    OK(cudaMemcpy(&got, n, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == kLaunches);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(n));
}

static void launches_without_end() {
    int* n;
    OK(cudaMalloc(&n, sizeof(int)));
    std::atomic<bool> go_on{true};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            cudaStream_t stream;
            OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            while (go_on) count<<<1, 1, 0, stream>>>(n);
            OK(cudaStreamDestroy(stream));
        });
    for (int k = 0; k < 5; ++k) {
        void* memory;
        OK(cudaMalloc(&memory, 64));
        OK(cudaFree(memory));
    }
    go_on = false;
    for (auto& thread : threads) thread.join();
    OK(cudaDeviceSynchronize());
    OK(cudaFree(n));
}

int main() {
    a_full_queue();
    launches_without_end();
    std::puts("passed");
}
