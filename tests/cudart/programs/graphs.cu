// Graphs, captured and made node by node.
#include "check.h"
__global__ void add(int* x, int v) { *x += v; }
__global__ void times(int* x, int v) { *x *= v; }
int main() {
    int *x, got = 0;
    OK(cudaMalloc(&x, 4));
    cudaStream_t s, other;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&other));
    cudaEvent_t fork, join;
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaMemset(x, 0, 4));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(x, 3);
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(other, fork, 0));
    times<<<1, 1, 0, other>>>(x, 2);
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaMemcpyAsync(&got, x, 4, cudaMemcpyDeviceToHost, s));
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(s, &graph));
    CHECK(got == 0);
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK(count == 3);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(got == 6);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(got == 18);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    cudaGraph_t made;
    OK(cudaGraphCreate(&made, 0));
    cudaGraphNode_t fill, first, second, copy;
    cudaMemsetParams zero = {};
    zero.dst = x, zero.elementSize = 4, zero.width = 1, zero.height = 1, zero.value = 5;
    OK(cudaGraphAddMemsetNode(&fill, made, nullptr, 0, &zero));
    int v = 4;
    void* arguments[] = {&x, &v};
    cudaKernelNodeParams k = {};
    k.func = (void*)add, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&first, made, &fill, 1, &k));
    k.func = (void*)times;
    OK(cudaGraphAddKernelNode(&second, made, &first, 1, &k));
    OK(cudaGraphAddMemcpyNode1D(&copy, made, &second, 1, &got, x, 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&exec, made, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(got == 36);
    v = 10;
    OK(cudaGraphExecKernelNodeSetParams(exec, second, &k));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(got == 90);
    // A stream that was waited for by nobody leaves the capture unjoined.
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 1, 0, other>>>(x, 1);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined);
    std::puts("passed");
}
