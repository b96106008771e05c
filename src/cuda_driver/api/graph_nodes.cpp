// Nodes of graphs whose parameters the driver describes otherwise than the runtime: kernels, copies, fills.
#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/copies.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

/// The first form ends before the member `kern`.
enum class Form { first, second };

cudaKernelNodeParams kernel_of(const CUDA_KERNEL_NODE_PARAMS& p, Form form) {
    void* const kernel = p.func || form == Form::first ? static_cast<void*>(p.func) : static_cast<void*>(p.kern);
    return {kernel,
            {p.gridDimX, p.gridDimY, p.gridDimZ},
            {p.blockDimX, p.blockDimY, p.blockDimZ},
            p.sharedMemBytes,
            p.kernelParams,
            p.extra};
}

CUresult add_kernel(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                    const CUDA_KERNEL_NODE_PARAMS* p, Form form) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto k = kernel_of(*p, form);
    return code_of(rt::cudaGraphAddKernelNode(node, graph, after, count, &k));
}

CUresult set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p, Form form) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto k = kernel_of(*p, form);
    return code_of(rt::cudaGraphExecKernelNodeSetParams(exec, node, &k));
}

template <class F>
CUresult with_copy(const CUDA_MEMCPY3D* p, F work) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    cudaMemcpy3DParms copy;
    if (auto e = parameters_of(copy, *p); e != CUDA_SUCCESS) return e;
    return code_of(work(copy));
}

cudaMemsetParams fill_of(const CUDA_MEMSET_NODE_PARAMS& p) {
    return {at(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}

}  // namespace

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* p) {
    return add_kernel(node, graph, after, count, p, Form::second);
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* p) {
    return add_kernel(node, graph, after, count, p, Form::first);
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
    return set_kernel(exec, node, p, Form::second);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
    return set_kernel(exec, node, p, Form::first);
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto k = kernel_of(*p, Form::second);
    return code_of(rt::cudaGraphKernelNodeSetParams(node, &k));
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    cudaKernelNodeParams k;
    if (auto e = rt::cudaGraphKernelNodeGetParams(node, &k); e != cudaSuccess) return code_of(e);
    *p = {static_cast<CUfunction>(k.func),
          k.gridDim.x,
          k.gridDim.y,
          k.gridDim.z,
          k.blockDim.x,
          k.blockDim.y,
          k.blockDim.z,
          k.sharedMemBytes,
          k.kernelParams,
          k.extra,
          nullptr,
          nullptr};
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                              const CUDA_MEMCPY3D* p, CUcontext) {
    return with_copy(p, [&](const auto& c) { return rt::cudaGraphAddMemcpyNode(node, graph, after, count, &c); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* p, CUcontext) {
    return with_copy(p, [&](const auto& c) { return rt::cudaGraphExecMemcpyNodeSetParams(exec, node, &c); });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p) {
    return with_copy(p, [&](const auto& c) { return rt::cudaGraphMemcpyNodeSetParams(node, &c); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto f = fill_of(*p);
    return code_of(rt::cudaGraphAddMemsetNode(node, graph, after, count, &f));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p,
                                        CUcontext) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto f = fill_of(*p);
    return code_of(rt::cudaGraphExecMemsetNodeSetParams(exec, node, &f));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto f = fill_of(*p);
    return code_of(rt::cudaGraphMemsetNodeSetParams(node, &f));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    cudaMemsetParams f;
    if (auto e = rt::cudaGraphMemsetNodeGetParams(node, &f); e != cudaSuccess) return code_of(e);
    *p = {reinterpret_cast<CUdeviceptr>(f.dst), f.pitch, f.value, f.elementSize, f.width, f.height};
    return CUDA_SUCCESS;
}

}  // namespace warpwright::cuda_driver::impl
