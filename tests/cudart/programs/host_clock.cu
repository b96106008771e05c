// The program's own clocks, where they are modelled: on this device a copy of a megabyte takes 100 seconds. Without a
// modelled clock each of the waits below is over in milliseconds.
#include <sys/time.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "check.h"

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

__global__ void touch(char* data) { data[threadIdx.x] = 1; }

static double of_day() {
    timeval t{};
    struct timezone zone{};
    gettimeofday(&t, &zone);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

static Clock::time_point in_function;

int main() {
    constexpr size_t kBytes = 1'000'000;
    char *device = nullptr, *pinned = nullptr;
    OK(cudaMalloc(&device, kBytes));
    OK(cudaMallocHost(&pinned, kBytes));
    char* const pageable = static_cast<char*>(std::calloc(kBytes, 1));
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));

    // A copy that waits: the host's clocks and the events say the same.
    const auto start = Clock::now();
    const double day = of_day();
    const clock_t cpu = clock();
    OK(cudaEventRecord(begin));
    OK(cudaMemcpy(device, pageable, kBytes, cudaMemcpyHostToDevice));
    OK(cudaEventRecord(end));
    OK(cudaDeviceSynchronize());
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    const auto passed = Clock::now() - start;
    CHECK(ms >= 99'000 && ms < 101'000);
    CHECK((std::chrono::duration<float, std::milli>(passed).count() >= ms));
    CHECK(of_day() - day >= 99);
    CHECK(static_cast<double>(clock() - cpu) / CLOCKS_PER_SEC >= 99);

    // Queued work takes the host no time until it waits; then what it has done itself lies beside the device's work.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    auto before = Clock::now();
    OK(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream));
    touch<<<1, 32, 0, stream>>>(device);
    CHECK(Clock::now() - before < 50s);
    std::this_thread::sleep_for(2ms);
    OK(cudaStreamSynchronize(stream));
    CHECK(Clock::now() - before >= 99s);

    // Asked again and again.
    before = Clock::now();
    OK(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) std::this_thread::yield();
    CHECK(Clock::now() - before >= 99s);

    // A function of the program's has its clock, on whatever thread.
    OK(cudaLaunchHostFunc(stream, [](void*) { in_function = Clock::now(); }, nullptr));
    OK(cudaStreamSynchronize(stream));
    CHECK(in_function >= before && in_function <= Clock::now());

    // Times that are computed from it come.
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable never;
    CHECK(never.wait_until(lock, Clock::now() + 1ms) == std::cv_status::timeout);
    std::this_thread::sleep_until(std::chrono::system_clock::now() + 1ms);
    OK(cudaFree(device));
    std::printf("passed\n");
    return 0;
}
