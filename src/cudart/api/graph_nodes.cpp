// Existing nodes of graphs: their parameters and edges.
#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/graph/graph_detail.hpp"

namespace warpwright::cudart::impl {
namespace {

using namespace graph_detail;

cudaError_t put(Node* node, Operation operation) {
    if (!node || node->operation.type != operation.type) return cudaErrorInvalidValue;
    node->operation = std::move(operation);
    return cudaSuccess;
}

cudaError_t put_kernel(Node* node, const cudaKernelNodeParams* p) {
    if (!node || !p || node->operation.type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    std::shared_ptr<Launch> launch;
    if (auto e = kernel(*p, launch); e != cudaSuccess) return e;
    launch->config.cooperative = node->launch->config.cooperative;
    launch->config.cluster = node->launch->config.cluster;
    set_kernel(*node, std::move(launch));
    return cudaSuccess;
}

std::vector<Node*> all(const Graph& graph, bool roots_only) {
    std::vector<Node*> nodes;
    for (const auto& n : graph.nodes)
        if (!roots_only || n->after.empty()) nodes.push_back(n.get());
    return nodes;
}

}  // namespace

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
    const auto* n = node_of(node);
    if (!n || !p || n->operation.type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    *p = n->kernel;
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    return put_kernel(node_of(node), p);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
    return put_kernel(in(exec, node), p);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
    Operation o;
    if (auto e = copy(to, from, bytes, kind, o); e != cudaSuccess) return e;
    return put(node_of(node), std::move(o));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind kind) {
    Operation o;
    if (auto e = copy(to, from, bytes, kind, o); e != cudaSuccess) return e;
    return put(in(exec, node), std::move(o));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
    Operation o;
    if (auto e = copy(p, o); e != cudaSuccess) return e;
    return put(in(exec, node), std::move(o));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
    Operation o;
    if (auto e = fill(p, o); e != cudaSuccess) return e;
    return put(node_of(node), std::move(o));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* p) {
    Operation o;
    if (auto e = fill(p, o); e != cudaSuccess) return e;
    return put(in(exec, node), std::move(o));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return p && p->fn ? put(node_of(node), host(p->fn, p->userData)) : cudaErrorInvalidValue;
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return p && p->fn ? put(in(exec, node), host(p->fn, p->userData)) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    auto g = graph(handle);
    if (!g || !count) return cudaErrorInvalidValue;
    list(all(*g, false), nodes, count);
    return cudaSuccess;
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    auto g = graph(handle);
    if (!g || !count) return cudaErrorInvalidValue;
    list(all(*g, true), nodes, count);
    return cudaSuccess;
}
cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData*,
                              size_t* count) {
    auto g = graph(handle);
    if (!g || !count) return cudaErrorInvalidValue;
    size_t n = 0;
    for (const auto& node : g->nodes)
        for (auto* a : node->after) {
            if (from && to && n < *count) from[n] = handle_of(a), to[n] = handle_of(node.get());
            ++n;
        }
    *count = from ? std::min(*count, n) : n;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    const auto* n = node_of(node);
    if (!n || !type) return cudaErrorInvalidValue;
    *type = n->operation.type;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
    auto g = graph(clone);
    const auto* original = node_of(node);
    if (!g || !found || !original) return cudaErrorInvalidValue;
    auto* n = g->copy_of(original);
    *found = handle_of(n);
    return n ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData*,
                                         size_t* count) {
    const auto* n = node_of(node);
    if (!n || !count) return cudaErrorInvalidValue;
    list(n->after, dependencies, count);
    return cudaSuccess;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
    const auto g = graph(handle);
    std::vector<Node*> before, after;
    if (!g || !nodes_of(from, count, before, g.get()) || !nodes_of(to, count, after, g.get()))
        return cudaErrorInvalidValue;
    for (size_t k = 0; k < count; ++k) {
        // A dependency that is there already, and one of a node on itself, are refused.
        const auto& a = after[k]->after;
        if (before[k] == after[k] || std::find(a.begin(), a.end(), before[k]) != a.end()) return cudaErrorInvalidValue;
    }
    for (size_t k = 0; k < count; ++k) after[k]->after.push_back(before[k]);
    return cudaSuccess;
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t count) {
    const auto g = graph(handle);
    std::vector<Node*> before, after;
    if (!g || !nodes_of(from, count, before, g.get()) || !nodes_of(to, count, after, g.get()))
        return cudaErrorInvalidValue;
    for (size_t k = 0; k < count; ++k)
        if (std::find(after[k]->after.begin(), after[k]->after.end(), before[k]) == after[k]->after.end())
            return cudaErrorInvalidValue;
    for (size_t k = 0; k < count; ++k) std::erase(after[k]->after, before[k]);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    auto* node = node_of(handle);
    if (!node) return cudaErrorInvalidValue;
    auto& nodes = node->graph->nodes;
    for (auto& n : nodes) std::erase(n->after, node);
    std::erase_if(nodes, [&](const auto& n) { return n.get() == node; });
    return cudaSuccess;
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    auto* n = in(exec, node);
    if (!n) return cudaErrorInvalidValue;
    n->enabled = enabled != 0;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
    auto* n = in(exec, node);
    if (!n || !enabled) return cudaErrorInvalidValue;
    *enabled = n->enabled;
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
