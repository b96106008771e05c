// Graphs that kernels launch: others at any time and as siblings, their own again for the tail; too many; from no graph.
#include "check.h"
__device__ int refused;
__global__ void add(int* p) { atomicAdd(p, 1); }
__global__ void again(int* p, int most) {
    if (threadIdx.x == 0 && ++*p < most) refused = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void start(cudaGraphExec_t graph, cudaStream_t how, int times) {
    refused = 0;
    for (int k = 0; k < times && !refused; ++k) refused = cudaGraphLaunch(graph, how);
}

int* d;
int number() {
    int n;
    OK(cudaMemcpy(&n, d, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaMemset(d, 0, sizeof n));
    return n;
}
int answer() {
    int n;
    OK(cudaMemcpyFromSymbol(&n, refused, sizeof n));
    return n;
}

template <class F> cudaGraphExec_t captured(cudaStream_t s, unsigned long long flags, F work) {
    cudaGraph_t g;
    cudaGraphExec_t made;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    work();
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&made, g, flags));
    OK(cudaGraphDestroy(g));
    return made;
}

int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, sizeof(int)));
    OK(cudaMemset(d, 0, sizeof(int)));
    const auto inner = captured(s, cudaGraphInstantiateFlagDeviceLaunch, [&] { add<<<2, 32, 0, s>>>(d); });
    const auto plain = captured(s, 0, [&] { add<<<1, 1, 0, s>>>(d); });
    OK(cudaGraphUpload(inner, s));
    const cudaStream_t ways[] = {cudaStreamGraphTailLaunch, cudaStreamGraphFireAndForget, cudaStreamGraphFireAndForgetAsSibling};
    for (auto how : ways) {
        const auto outer = captured(s, 0, [&] { start<<<1, 1, 0, s>>>(inner, how, 3); });
        for (int k = 0; k < 2; ++k) OK(cudaGraphLaunch(outer, s));
        OK(cudaStreamSynchronize(s));
        CHECK(number() == 2 * 3 * 64);
        CHECK(answer() == cudaSuccess);
        OK(cudaGraphExecDestroy(outer));
    }
    // Its own graph again, until it has run ten times.
    const auto loop = captured(s, cudaGraphInstantiateFlagDeviceLaunch, [&] { again<<<1, 32, 0, s>>>(d, 10); });
    OK(cudaGraphLaunch(loop, s));
    OK(cudaStreamSynchronize(s));
    CHECK(number() == 10);
    // More than may wait; those before are launched.
    for (int tail = 0; tail < 2; ++tail) {
        const auto how = tail ? cudaStreamGraphTailLaunch : cudaStreamGraphFireAndForget;
        const auto many = captured(s, 0, [&] { start<<<1, 1, 0, s>>>(inner, how, 300); });
        OK(cudaGraphLaunch(many, s));
        OK(cudaStreamSynchronize(s));
        CHECK(number() == (tail ? 255 : 120) * 64);
        CHECK(answer() == cudaErrorLaunchOutOfResources);
    }
    // A graph that is not for kernels, an ordinary stream, no graph, one that was not uploaded, one that is destroyed,
    // and a launch outside of graphs.
    const auto fresh = captured(s, cudaGraphInstantiateFlagDeviceLaunch, [&] { add<<<1, 1, 0, s>>>(d); });
    const auto gone = captured(s, cudaGraphInstantiateFlagDeviceLaunch, [&] { add<<<1, 1, 0, s>>>(d); });
    OK(cudaGraphUpload(gone, s));
    OK(cudaGraphExecDestroy(gone));
    struct {
        cudaGraphExec_t graph;
        cudaStream_t stream;
    } const wrong[] = {{plain, cudaStreamGraphTailLaunch}, {inner, 0}, {(cudaGraphExec_t)64, cudaStreamGraphTailLaunch},
                 {fresh, cudaStreamGraphTailLaunch}, {gone, cudaStreamGraphTailLaunch}};
    for (const auto& w : wrong) {
        const auto outer = captured(s, 0, [&] { start<<<1, 1, 0, s>>>(w.graph, w.stream, 1); });
        OK(cudaGraphLaunch(outer, s));
        OK(cudaStreamSynchronize(s));
        CHECK(answer() == cudaErrorInvalidValue);
        OK(cudaGraphExecDestroy(outer));
    }
    start<<<1, 1, 0, s>>>(inner, cudaStreamGraphTailLaunch, 1);
    OK(cudaStreamSynchronize(s));
    CHECK(answer() == cudaErrorNotSupported);
    CHECK(number() == 0);
    std::printf("passed\n");
}
