// A kernel's error is told by calls that wait for it, or ask whether it is done, and by none that only queues work: not even when
// the kernel has ended long before.
#include <chrono>
#include <thread>
#include "check.h"
using Clock = std::chrono::steady_clock;
__global__ void spoil(volatile int* here) {
    *here = 1;
    __threadfence_system();
    *reinterpret_cast<volatile int*>(0x8) = 1;
}
__global__ void nothing() {}
static int* here;
static Clock::time_point spoiled;
/// Returns when the kernel has ended, or is about to.
static void launch_a_fault(cudaStream_t stream) {
    *here = 0;
    spoil<<<1, 1, 0, stream>>>(here);
    while (*static_cast<volatile int*>(here) == 0) std::this_thread::yield();
    spoiled = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}
int main() {
    cudaStream_t stream;
    cudaEvent_t event;
    void* pointer = nullptr;
    OK(cudaMallocHost(&here, 4));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    launch_a_fault(stream);
    // Whoever asks for a second is told (below): on a machine that stands still for so long nothing is looked at here.
    const auto none = cudaGetLastError();
    nothing<<<1, 1, 0, stream>>>();
    const auto launched = cudaPeekAtLastError(), recorded = cudaEventRecord(event, stream),
               waits = cudaStreamWaitEvent(stream, event, 0), allocated = cudaMalloc(&pointer, 64);
    if (Clock::now() - spoiled < std::chrono::milliseconds(900))
        CHECK(none == cudaSuccess && launched == cudaSuccess && recorded == cudaSuccess && waits == cudaSuccess &&
              allocated == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(cudaMalloc(&pointer, 64) == cudaErrorIllegalAddress);
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    // A question is as good as a wait.
    OK(cudaDeviceReset());
    OK(cudaMallocHost(&here, 4));
    launch_a_fault(0);
    cudaError_t answer;
    while ((answer = cudaStreamQuery(0)) == cudaErrorNotReady) {}
    CHECK(answer == cudaErrorIllegalAddress);
    CHECK(cudaFree(nullptr) == cudaErrorIllegalAddress);
    // Who waits for nothing, and looks for errors alone, is told in the end.
    OK(cudaDeviceReset());
    OK(cudaMallocHost(&here, 4));
    launch_a_fault(0);
    while ((answer = cudaPeekAtLastError()) == cudaSuccess) std::this_thread::yield();
    CHECK(answer == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    std::puts("passed");
}
