// Times by events are those of the modelled clock: copies share the link, kernels the multiprocessors, and the
// directions have an engine each. The model is the
// usual one, h200.
#include <cmath>

#include "check.h"

constexpr int kStreams = 4, kBytes = 1 << 22;

__global__ void busy(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2 + 1;
}

struct Part {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    char *host, *device;
};

static double seconds(cudaEvent_t from, cudaEvent_t to) {
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1e-3;
}

int main() {
    Part parts[kStreams];
    for (auto& p : parts) {
        OK(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
        OK(cudaEventCreate(&p.begin));
        OK(cudaEventCreate(&p.end));
        OK(cudaMallocHost((void**)&p.host, kBytes));
        OK(cudaMalloc((void**)&p.device, kBytes));
    }
    cudaEvent_t start;
    OK(cudaEventCreate(&start));
    OK(cudaDeviceSynchronize());

    // One copy by itself.
    OK(cudaEventRecord(start, parts[0].stream));
    OK(cudaMemcpyAsync(parts[0].device, parts[0].host, kBytes, cudaMemcpyHostToDevice, parts[0].stream));
    OK(cudaEventRecord(parts[0].end, parts[0].stream));
    OK(cudaDeviceSynchronize());
    const double one = seconds(start, parts[0].end);
    CHECK(one > kBytes / 64e9 && one < 1e-3);

    // Four of one direction take their turns, whatever their streams.
    OK(cudaEventRecord(start, parts[0].stream));
    for (auto& p : parts) {
        OK(cudaMemcpyAsync(p.device, p.host, kBytes, cudaMemcpyHostToDevice, p.stream));
        OK(cudaEventRecord(p.end, p.stream));
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < kStreams; ++i) CHECK(std::fabs(seconds(start, parts[i].end) / ((i + 1) * one) - 1) < 0.1);

    // Two directions do not disturb each other.
    OK(cudaEventRecord(start, parts[0].stream));
    OK(cudaMemcpyAsync(parts[0].device, parts[0].host, kBytes, cudaMemcpyHostToDevice, parts[0].stream));
    OK(cudaMemcpyAsync(parts[1].host, parts[1].device, kBytes, cudaMemcpyDeviceToHost, parts[1].stream));
    OK(cudaEventRecord(parts[1].end, parts[1].stream));
    OK(cudaDeviceSynchronize());
    CHECK(seconds(start, parts[1].end) < 1.2 * one);

    // A wait for an event that is over on the host already still orders the clock.
    OK(cudaMemcpyAsync(parts[0].device, parts[0].host, kBytes, cudaMemcpyHostToDevice, parts[0].stream));
    OK(cudaEventRecord(parts[0].end, parts[0].stream));
    while (cudaEventQuery(parts[0].end) == cudaErrorNotReady) {
    }
    OK(cudaStreamWaitEvent(parts[1].stream, parts[0].end, 0));
    busy<<<64, 256, 0, parts[1].stream>>>((float*)parts[1].device, 64 * 256);
    OK(cudaEventRecord(parts[1].end, parts[1].stream));
    OK(cudaDeviceSynchronize());
    CHECK(seconds(parts[0].end, parts[1].end) > 0);

    // Pageable memory is slower, and a time in a graph is one of the same clock.
    char* plain = (char*)std::malloc(kBytes);
    OK(cudaEventRecord(start, parts[0].stream));
    OK(cudaMemcpyAsync(parts[0].device, plain, kBytes, cudaMemcpyHostToDevice, parts[0].stream));
    OK(cudaEventRecord(parts[0].end, parts[0].stream));
    OK(cudaDeviceSynchronize());
    CHECK(seconds(start, parts[0].end) > 1.5 * one);
    std::free(plain);

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(parts[0].stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 2; ++i)
        OK(cudaMemcpyAsync(parts[i].device, parts[i].host, kBytes, cudaMemcpyHostToDevice, parts[0].stream));
    OK(cudaStreamEndCapture(parts[0].stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaEventRecord(start, parts[0].stream));
    OK(cudaGraphLaunch(exec, parts[0].stream));
    OK(cudaEventRecord(parts[0].end, parts[0].stream));
    OK(cudaDeviceSynchronize());
    CHECK(std::fabs(seconds(start, parts[0].end) / (2 * one) - 1) < 0.1);
    std::printf("times %.9g %.9g\n", one, seconds(start, parts[0].end));
    std::puts("passed");
}
