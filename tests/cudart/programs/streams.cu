// Streams go on by themselves, in order each, and against the default stream as documented.
#include <atomic>
#include <chrono>
#include <thread>
#include "check.h"
__global__ void wait_for(volatile int* flag) { while (*flag == 0) {} }
__global__ void twice(int* x) { *x *= 2; }
__global__ void plus_one(int* x) { *x += 1; }
static void CUDART_CB set(void* p) { *static_cast<std::atomic<int>*>(p) = 1; }
int main() {
    // A launch returns while its kernel still waits for the host.
    int* flag;
    OK(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    *flag = 0;
    cudaStream_t a, b;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    wait_for<<<1, 1, 0, a>>>(flag);
    CHECK(cudaStreamQuery(a) == cudaErrorNotReady);
    // Another stream is not held up.
    int* x;
    OK(cudaMalloc(&x, 4));
    int one = 1, got = 0;
    OK(cudaMemcpyAsync(x, &one, 4, cudaMemcpyHostToDevice, b));
    twice<<<1, 1, 0, b>>>(x);
    plus_one<<<1, 1, 0, b>>>(x);
    OK(cudaMemcpyAsync(&got, x, 4, cudaMemcpyDeviceToHost, b));
    OK(cudaStreamSynchronize(b));
    CHECK(got == 3);
    // An event of the stream that waits holds up who waits for it.
    cudaEvent_t done;
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    OK(cudaEventRecord(done, a));
    CHECK(cudaEventQuery(done) == cudaErrorNotReady);
    OK(cudaStreamWaitEvent(b, done, 0));
    plus_one<<<1, 1, 0, b>>>(x);
    CHECK(cudaStreamQuery(b) == cudaErrorNotReady);
    *flag = 1;
    OK(cudaStreamSynchronize(b));
    OK(cudaEventSynchronize(done));
    OK(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 4);
    // The default stream waits for blocking streams, and they for it.
    *flag = 0;
    cudaStream_t c;
    OK(cudaStreamCreate(&c));
    wait_for<<<1, 1, 0, c>>>(flag);
    plus_one<<<1, 1>>>(x);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    twice<<<1, 1, 0, c>>>(x);
    *flag = 1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 10);
    // Functions of the host's, in their turn.
    std::atomic<int> called{0};
    OK(cudaLaunchHostFunc(a, set, &called));
    OK(cudaStreamSynchronize(a));
    CHECK(called == 1);
    // Times of events, in the stream's order.
    cudaEvent_t from, to;
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaEventRecord(from, a));
    twice<<<1, 1, 0, a>>>(x);
    OK(cudaEventRecord(to, a));
    OK(cudaEventSynchronize(to));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, from, to));
    CHECK(ms > 0);
    CHECK(cudaStreamSynchronize((cudaStream_t)0x1234567) == cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(c));
    std::puts("passed");
}
