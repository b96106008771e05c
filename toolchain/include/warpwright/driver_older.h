// Functions of the driver by the parameters that they had until CUDA 12, for C++ programs written then.
#pragma once

#ifdef __cplusplus

extern "C" {
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device);
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream);
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, size_t size);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies, size_t* count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* dependents, size_t* count);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count);
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count);
}

static inline CUresult cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}
static inline CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, size_t size) {
    return cuGraphInstantiate_v2(exec, graph, node, log, size);
}

#endif
