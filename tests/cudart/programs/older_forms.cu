// Functions of graphs and streams by the parameters of CUDA 11 and 12, and the errors' names of the driver.
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include "check.h"
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error "helper headers ask for these"
#endif
__global__ void add(int* p, int v) { atomicAdd(p, v); }
int main() {
    int *p, got = 0;
    OK(cudaMalloc(&p, 4));
    OK(cudaMemset(p, 0, 4));
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], errors;
    OK(cudaGraphCreate(&graph, 0));
    int one = 1, ten = 10;
    void* arguments[2][2] = {{&p, &one}, {&p, &ten}};
    for (int i = 0; i < 2; ++i) {
        cudaKernelNodeParams k = {};
        k.func = (void*)add;
        k.gridDim = k.blockDim = dim3(1);
        k.kernelParams = arguments[i];
        OK(cudaGraphAddKernelNode(&nodes[i], graph, nullptr, 0, &k));
    }
    OK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
    cudaGraphNode_t from[1], to[1], others[1];
    size_t count = 1;
    OK(cudaGraphGetEdges(graph, from, to, &count));
    CHECK(count == 1 && from[0] == nodes[0] && to[0] == nodes[1]);
    OK(cudaGraphNodeGetDependencies(nodes[1], others, &count));
    CHECK(count == 1 && others[0] == nodes[0]);
    OK(cudaGraphNodeGetDependentNodes(nodes[0], others, &count));
    CHECK(count == 1 && others[0] == nodes[1]);
    char message[64] = "?";
    cudaGraphExec_t exec, again, same;
    OK(cudaGraphInstantiate(&exec, graph, &errors, message, sizeof message));
    CHECK(message[0] == 0);
    OK(cudaGraphInstantiate(&again, graph, nullptr, nullptr, 0));
    OK(cudaGraphInstantiate(&same, graph, 0));
    for (auto e : {exec, again, same}) OK(cudaGraphLaunch(e, 0));
    cudaGraphExecUpdateResult result;
    OK(cudaGraphExecUpdate(exec, graph, &errors, &result));
    CHECK(result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
    CHECK(count == 0);
    OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 33);
    const char* name;
    CHECK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name) == CUDA_SUCCESS && !std::strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(cuGetErrorName((CUresult)12345, &name) == CUDA_ERROR_INVALID_VALUE && !name);
    std::puts("passed");
}
