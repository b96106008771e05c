// Nodes of graphs by one structure for all types, which is the runtime's but for kernels and copies.
#include <cstddef>
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/copies.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

static_assert(sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams));

CUresult parameters_of(cudaGraphNodeParams& to, const CUgraphNodeParams& p) {
    std::memcpy(static_cast<void*>(&to), &p, sizeof to);
    switch (p.type) {
        case cudaGraphNodeTypeKernel:
            if (!p.kernel.func) to.kernel.func = p.kernel.kern;
            return CUDA_SUCCESS;
        case cudaGraphNodeTypeMemcpy:
            to.memcpy = {};
            return cuda_driver::parameters_of(to.memcpy.copyParams, p.memcpy.copyParams);
        case cudaGraphNodeTypeMemset:
        case cudaGraphNodeTypeHost:
        case cudaGraphNodeTypeGraph:
        case cudaGraphNodeTypeEmpty:
        case cudaGraphNodeTypeWaitEvent:
        case cudaGraphNodeTypeEventRecord:
        case cudaGraphNodeTypeMemAlloc:
        case cudaGraphNodeTypeMemFree:
        case cudaGraphNodeTypeConditional:
            return CUDA_SUCCESS;
        default:
            cudart::Runtime::get().say(
                "graphs have no nodes here for external semaphores and batches of memory "
                "operations");
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

template <class F>
CUresult with(CUgraphNodeParams* p, F work) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    // Its dim3 has a constructor, so the union has none.
    alignas(cudaGraphNodeParams) std::byte place[sizeof(cudaGraphNodeParams)];
    auto& same = *reinterpret_cast<cudaGraphNodeParams*>(place);
    if (auto e = parameters_of(same, *p); e != CUDA_SUCCESS) return e;
    const auto e = work(same);
    // What the call gives back.
    if (p->type == cudaGraphNodeTypeMemAlloc) p->alloc.dptr = same.alloc.dptr;
    if (p->type == cudaGraphNodeTypeConditional) p->conditional.phGraph_out = same.conditional.phGraph_out;
    return code_of(e);
}

}  // namespace

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* edges,
                           size_t count, CUgraphNodeParams* p) {
    return with(p, [&](auto& same) { return rt::cudaGraphAddNode(node, graph, after, edges, count, &same); });
}
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                        CUgraphNodeParams* p) {
    return cuGraphAddNode_v2(node, graph, after, nullptr, count, p);
}
CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    alignas(cudaGraphNodeParams) std::byte place[sizeof(cudaGraphNodeParams)];
    const auto& same = *reinterpret_cast<const cudaGraphNodeParams*>(place);
    if (auto e = rt::cudaGraphNodeGetParams(node, reinterpret_cast<cudaGraphNodeParams*>(place)); e != cudaSuccess)
        return code_of(e);
    std::memcpy(static_cast<void*>(p), &same, sizeof same);
    if (p->type != cudaGraphNodeTypeMemcpy) return CUDA_SUCCESS;
    p->memcpy = {};
    return cuGraphMemcpyNodeGetParams(node, &p->memcpy.copyParams);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p) {
    return with(p, [&](auto& same) { return rt::cudaGraphNodeSetParams(node, &same); });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* p) {
    return with(p, [&](auto& same) { return rt::cudaGraphExecNodeSetParams(exec, node, &same); });
}
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext, unsigned value,
                                        unsigned flags) {
    return code_of(rt::cudaGraphConditionalHandleCreate(handle, graph, value, flags));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    cudaMemcpy3DParms c;
    if (auto e = rt::cudaGraphMemcpyNodeGetParams(node, &c); e != cudaSuccess) return code_of(e);
    *p = {};
    // The runtime counts in elements as soon as one side is an array; the driver in bytes.
    const auto array = cudart::arrays::find(c.srcArray ? c.srcArray : c.dstArray);
    const size_t element = array ? array->element : 1;
    p->WidthInBytes = c.extent.width * element, p->Height = c.extent.height, p->Depth = c.extent.depth;
    p->srcXInBytes = c.srcPos.x * (c.srcArray ? element : 1), p->srcY = c.srcPos.y, p->srcZ = c.srcPos.z;
    p->dstXInBytes = c.dstPos.x * (c.dstArray ? element : 1), p->dstY = c.dstPos.y, p->dstZ = c.dstPos.z;
    p->srcMemoryType = c.srcArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
    p->dstMemoryType = c.dstArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
    p->srcArray = reinterpret_cast<CUarray>(c.srcArray), p->dstArray = reinterpret_cast<CUarray>(c.dstArray);
    p->srcDevice = reinterpret_cast<CUdeviceptr>(c.srcPtr.ptr), p->srcPitch = c.srcPtr.pitch;
    p->dstDevice = reinterpret_cast<CUdeviceptr>(c.dstPtr.ptr), p->dstPitch = c.dstPtr.pitch;
    p->srcHeight = c.srcPtr.ysize, p->dstHeight = c.dstPtr.ysize;
    return CUDA_SUCCESS;
}

}  // namespace warpwright::cuda_driver::impl
