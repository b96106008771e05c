// Nodes of a graph that nothing orders, in a program that uses one stream alone.
#include <cstdio>
#ifdef RIGHT
    #define BEHIND(node) &node, 1
#else
    #define BEHIND(node) nullptr, 0
#endif
__global__ void put(int* p, int value) { p[threadIdx.x] = value; }  // FINDING race-streams
__global__ void add(const int* p, int* sum) { sum[threadIdx.x] += p[threadIdx.x]; }  // FINDING race-streams
int main() {
    int *p = nullptr, *sum = nullptr, value = 3, host[64];
    cudaMalloc(&p, sizeof host), cudaMalloc(&sum, sizeof host);
    cudaMemset(p, 0, sizeof host), cudaMemset(sum, 0, sizeof host);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t first, second, third;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams node{};
    void *of_put[] = {&p, &value}, *of_add[] = {&p, &sum};
    node.func = reinterpret_cast<void*>(put), node.gridDim = 1, node.blockDim = 64, node.kernelParams = of_put;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    node.func = reinterpret_cast<void*>(add), node.kernelParams = of_add;
    cudaGraphAddKernelNode(&second, graph, BEHIND(first), &node);
    // This one is in order either way.
    cudaGraphAddKernelNode(&third, graph, &second, 1, &node);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
    cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[5] != 0);
    cudaGraphExecDestroy(executable), cudaGraphDestroy(graph), cudaFree(p);
    return cudaFree(sum);
}
