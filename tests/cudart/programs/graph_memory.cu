// Memory of a graph's allocation nodes: it is there from a launch until it is freed, again and again. The codes are those
// of an H100 with driver 580.
#include "check.h"
#define IS(call, code) CHECK((call) == code)
static cudaGraph_t make(cudaGraphNode_t& fill, int*& pointer, bool frees) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t alloc, freed;
    cudaMemAllocNodeParams a = {};
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    a.bytesize = 4096;
    OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &a));
    pointer = static_cast<int*>(a.dptr);
    cudaMemsetParams m = {};
    m.dst = pointer, m.value = 9, m.elementSize = 4, m.width = 1024, m.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &m));
    if (frees) OK(cudaGraphAddMemFreeNode(&freed, graph, &fill, 1, pointer));
    return graph;
}
static int first(const int* p) {
    int host = -1;
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    return host;
}
int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    cudaGraphNode_t fill;
    int* p;
    for (int round = 0; round < 2; ++round) {
        const bool auto_free = round == 1;
        cudaGraph_t graph = make(fill, p, false);
        cudaGraphExec_t exec, second;
        OK(cudaGraphInstantiate(&exec, graph, auto_free ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
        IS(cudaMemset(p, 0, 4), cudaErrorInvalidValue);
        IS(cudaFree(p), cudaErrorInvalidValue);
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
        CHECK(first(p) == 9);
        // What was not freed is in the way of the next launch, unless the graph was made so that it frees it.
        IS(cudaGraphLaunch(exec, s), auto_free ? cudaSuccess : cudaErrorInvalidValue);
        OK(cudaFree(p));
        int host;
        IS(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        IS(cudaFree(p), cudaErrorInvalidValue);
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
        CHECK(first(p) == 9);
        OK(cudaFreeAsync(p, s));
        IS(cudaFreeAsync(p, s), cudaErrorInvalidValue);
        OK(cudaGraphLaunch(exec, s));
        IS(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
        // It outlives the graphs.
        OK(cudaStreamSynchronize(s));
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
        CHECK(first(p) == 9);
        OK(cudaFree(p));
        IS(cudaFree(p), cudaErrorInvalidValue);
    }
    // A graph that frees what it allocates may run at any time.
    cudaGraphExec_t exec;
    cudaGraph_t graph = make(fill, p, true);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 3; ++k) OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    IS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    // Captured: allocated in one graph, freed by another.
    cudaGraph_t takes, gives;
    cudaGraphExec_t take, give;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void**)&p, 4096, s));
    OK(cudaMemsetAsync(p, 5, 4096, s));
    OK(cudaStreamEndCapture(s, &takes));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamEndCapture(s, &gives));
    OK(cudaGraphInstantiate(&take, takes, 0));
    OK(cudaGraphInstantiate(&give, gives, 0));
    IS(cudaGraphLaunch(give, s), cudaErrorInvalidValue);
    for (int k = 0; k < 3; ++k) {
        OK(cudaGraphLaunch(take, s));
        OK(cudaGraphLaunch(give, s));
    }
    OK(cudaStreamSynchronize(s));
    IS(cudaFree(p), cudaErrorInvalidValue);
    cudaGetLastError();
    std::puts("passed");
}
