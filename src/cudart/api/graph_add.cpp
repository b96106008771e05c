// Adds nodes to graphs.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "cudart/api/api.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/graph_detail.hpp"

namespace warpwright::cudart::impl {
namespace {

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                Operation operation, Node** made = nullptr) {
    auto g = graph_detail::graph(graph);
    std::vector<Node*> nodes;
    if (!g || !node || !nodes_of(after, count, nodes, g.get())) return cudaErrorInvalidValue;
    auto* n = g->add(std::move(operation), std::move(nodes));
    *node = handle_of(n);
    if (made) *made = n;
    return cudaSuccess;
}

Operation nothing(cudaGraphNodeType type) {
    return {type, [] { return timeline::Work{}; }};
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* p) {
    if (!p) return cudaErrorInvalidValue;
    std::shared_ptr<Launch> launch;
    if (auto e = graph_detail::kernel(*p, launch); e != cudaSuccess) return e;
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, {}, &made); e != cudaSuccess) return e;
    set_kernel(*made, std::move(launch));
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* p) {
    Operation o;
    if (auto e = graph_detail::copy(p, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    Operation o;
    if (auto e = graph_detail::copy(to, from, bytes, kind, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphAddMemcpyNode1D(node, graph, after, count, at, from, bytes, kind);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             size_t count, void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphAddMemcpyNode1D(node, graph, after, count, to, at, bytes, kind);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* p) {
    Operation o;
    if (auto e = graph_detail::fill(p, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* p) {
    if (!p || !p->fn) return cudaErrorInvalidValue;
    return add(node, graph, after, count, graph_detail::host(p->fn, p->userData));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
    auto c = graph_detail::graph(child);
    if (!c) return cudaErrorInvalidValue;
    Node* made = nullptr;
    auto own = c->clone();
    if (auto e = add(node, graph, after, count, {cudaGraphNodeTypeGraph, [own] { return own->run(); }}, &made);
        e != cudaSuccess)
        return e;
    made->child = own;
    return cudaSuccess;
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count) {
    return add(node, graph, after, count, nothing(cudaGraphNodeTypeEmpty));
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t count, cudaEvent_t handle) {
    Operation o;
    if (auto e = graph_detail::record(handle, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t count, cudaEvent_t handle) {
    Operation o;
    if (auto e = graph_detail::wait(handle, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, cudaMemAllocNodeParams* p) {
    auto g = graph_detail::graph(graph);
    if (!g || !p || p->bytesize == 0) return cudaErrorInvalidValue;
    if (auto e = allocate_for(*g, &p->dptr, p->bytesize); e != cudaSuccess) return e;
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, nothing(cudaGraphNodeTypeMemAlloc), &made); e != cudaSuccess) return e;
    made->alloc = *p;
    return cudaSuccess;
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    size_t count, void* pointer) {
    if (!pointer) return cudaErrorInvalidValue;
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, nothing(cudaGraphNodeTypeMemFree), &made); e != cudaSuccess) return e;
    made->freed = pointer;
    return cudaSuccess;
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
    const auto* n = node_of(node);
    if (!n || !p || n->operation.type != cudaGraphNodeTypeMemAlloc) return cudaErrorInvalidValue;
    *p = n->alloc;
    return cudaSuccess;
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    const auto* n = node_of(node);
    if (!n || !pointer || n->operation.type != cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = n->freed;
    return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void* value) {
    if (!value) return cudaErrorInvalidValue;
    *static_cast<std::uint64_t*>(value) = Runtime::get().memory_used(current_device());
    return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType, void*) { return cudaSuccess; }

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* p) {
    if (!p) return cudaErrorInvalidValue;
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            cudaKernelNodeParams k;
            static_assert(sizeof k == sizeof p->kernel);
            std::memcpy(static_cast<void*>(&k), &p->kernel, sizeof k);
            return impl::cudaGraphAddKernelNode(node, graph, after, count, &k);
        }
        case cudaGraphNodeTypeMemcpy:
            return impl::cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            cudaMemsetParams m;
            std::memcpy(&m, &p->memset, sizeof m);
            return impl::cudaGraphAddMemsetNode(node, graph, after, count, &m);
        }
        case cudaGraphNodeTypeHost: {
            cudaHostNodeParams h{p->host.fn, p->host.userData};
            return impl::cudaGraphAddHostNode(node, graph, after, count, &h);
        }
        case cudaGraphNodeTypeGraph:
            return impl::cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
        case cudaGraphNodeTypeEmpty:
            return impl::cudaGraphAddEmptyNode(node, graph, after, count);
        case cudaGraphNodeTypeEventRecord:
            return impl::cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
        case cudaGraphNodeTypeWaitEvent:
            return impl::cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
        case cudaGraphNodeTypeMemAlloc: {
            cudaMemAllocNodeParams a;
            std::memcpy(static_cast<void*>(&a), &p->alloc, sizeof a);
            const auto e = impl::cudaGraphAddMemAllocNode(node, graph, after, count, &a);
            p->alloc.dptr = a.dptr;
            return e;
        }
        case cudaGraphNodeTypeMemFree:
            return impl::cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
        case cudaGraphNodeTypeConditional: {
            auto g = graph_detail::graph(graph);
            std::vector<Node*> nodes;
            if (!g || !nodes_of(after, count, nodes, g.get())) return cudaErrorInvalidValue;
            return add_conditional(*g, std::move(nodes), p->conditional, node, &graph_detail::handle);
        }
        default:
            break;
    }
    Runtime::get().say("graph nodes of type " + std::to_string(p->type) +
                       " are not supported by the emulated GPU's runtime library");
    return cudaErrorNotSupported;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned value,
                                             unsigned flags) {
    static std::atomic<cudaGraphConditionalHandle> next{
        0x434f'4e44'0000'0001};  // no value that a program has by accident
    auto g = graph_detail::graph(graph);
    if (!g || !handle || (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault))) return cudaErrorInvalidValue;
    *handle = next++;
    g->conditions[*handle] = {value, (flags & cudaGraphCondAssignDefault) != 0, false};
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
