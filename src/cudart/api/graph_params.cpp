// Nodes of graphs: reads and changes the parameters from which they were made, and draws graphs.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "cudart/api/api.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/graph/graph_detail.hpp"

namespace warpwright::cudart {
namespace {

using namespace graph_detail;

/// A node of one type, or nothing.
Node* of_type(Node* node, cudaGraphNodeType type) { return node && node->operation.type == type ? node : nullptr; }
Node* of_type(cudaGraphNode_t node, cudaGraphNodeType type) { return of_type(node_of(node), type); }

cudaError_t set_event(Node* node, cudaGraphNodeType type, cudaEvent_t event) {
    if (!of_type(node, type)) return cudaErrorInvalidValue;
    Operation o;
    if (auto e = type == cudaGraphNodeTypeEventRecord ? record(event, o) : graph_detail::wait(event, o);
        e != cudaSuccess)
        return e;
    node->operation = std::move(o);
    return cudaSuccess;
}

cudaError_t get_event(cudaGraphNode_t handle, cudaGraphNodeType type, cudaEvent_t* event) {
    auto* node = of_type(handle, type);
    if (!node || !event || !node->operation.given) return cudaErrorInvalidValue;
    *event = node->operation.given->event;
    return cudaSuccess;
}

cudaError_t set_child(Node* node, cudaGraph_t child) {
    auto c = graph(child);
    if (!of_type(node, cudaGraphNodeTypeGraph) || !c || !node->child) return cudaErrorInvalidValue;
    // The same work in the same order: only parameters may differ.
    const auto &old = node->child->nodes, &fresh = c->nodes;
    bool same = old.size() == fresh.size();
    for (std::size_t k = 0; same && k < old.size(); ++k)
        same = old[k]->operation.type == fresh[k]->operation.type && old[k]->after.size() == fresh[k]->after.size();
    if (!same) return cudaErrorInvalidValue;
    node->child = c->clone();
    node->operation.run = [own = node->child] { return own->run(); };
    return cudaSuccess;
}

const char* name_of(cudaGraphNodeType type) {
    switch (type) {
        case cudaGraphNodeTypeKernel:
            return "KERNEL";
        case cudaGraphNodeTypeMemcpy:
            return "MEMCPY";
        case cudaGraphNodeTypeMemset:
            return "MEMSET";
        case cudaGraphNodeTypeHost:
            return "HOST";
        case cudaGraphNodeTypeGraph:
            return "GRAPH";
        case cudaGraphNodeTypeWaitEvent:
            return "EVENT_WAIT";
        case cudaGraphNodeTypeEventRecord:
            return "EVENT_RECORD";
        case cudaGraphNodeTypeMemAlloc:
            return "MEM_ALLOC";
        case cudaGraphNodeTypeMemFree:
            return "MEM_FREE";
        case cudaGraphNodeTypeConditional:
            return "CONDITIONAL";
        default:
            return "EMPTY";
    }
}

/// One graph as a cluster; `number` counts nodes over all of them.
void draw(std::ostream& out, const Graph& g, unsigned& graphs, unsigned& number) {
    const unsigned own = graphs++;
    std::map<const Node*, unsigned> names;
    out << "subgraph cluster_" << own << " {\nlabel=\"graph_" << own << "\"\n";
    for (const auto& n : g.nodes) {
        names[n.get()] = number;
        out << "\"node_" << number << "\" [shape=\"box\" label=\"" << number << "\\n" << name_of(n->operation.type);
        if (n->launch) {
            const auto& c = n->launch->config;
            out << "\\n"
                << n->launch->kernel->name << "\\n<<<(" << c.grid.x << "," << c.grid.y << "," << c.grid.z << "),("
                << c.block.x << "," << c.block.y << "," << c.block.z << ")," << c.dynamic_shared << ">>>";
        }
        out << "\"];\n";
        ++number;
    }
    for (const auto& n : g.nodes)
        for (const auto* a : n->after) out << "\"node_" << names[a] << "\" -> \"node_" << names[n.get()] << "\";\n";
    for (const auto& n : g.nodes)
        if (n->child) draw(out, *n->child, graphs, number);
    out << "}\n";
}

}  // namespace

namespace impl {

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle, cudaMemcpy3DParms* p) {
    auto* node = of_type(handle, cudaGraphNodeTypeMemcpy);
    if (!node || !p || !node->operation.given) return cudaErrorInvalidValue;
    *p = node->operation.given->copy;
    return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t handle, const cudaMemcpy3DParms* p) {
    auto* node = of_type(handle, cudaGraphNodeTypeMemcpy);
    Operation o;
    if (!node) return cudaErrorInvalidValue;
    if (auto e = copy(p, o); e != cudaSuccess) return e;
    node->operation = std::move(o);
    return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphMemcpyNodeSetParams1D(node, at, from, bytes, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol, size_t bytes,
                                                   size_t offset, cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphMemcpyNodeSetParams1D(node, to, at, bytes, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void* symbol,
                                                     const void* from, size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphExecMemcpyNodeSetParams1D(exec, node, at, from, bytes, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t bytes, size_t offset,
                                                       cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, at, bytes, kind);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle, cudaMemsetParams* p) {
    auto* node = of_type(handle, cudaGraphNodeTypeMemset);
    if (!node || !p || !node->operation.given) return cudaErrorInvalidValue;
    *p = node->operation.given->fill;
    return cudaSuccess;
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t handle, cudaHostNodeParams* p) {
    auto* node = of_type(handle, cudaGraphNodeTypeHost);
    if (!node || !p || !node->operation.given) return cudaErrorInvalidValue;
    *p = node->operation.given->host;
    return cudaSuccess;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
    auto* n = of_type(node, cudaGraphNodeTypeGraph);
    if (!n || !child || !n->child) return cudaErrorInvalidValue;
    *child = handle(n->child);
    return cudaSuccess;
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
    return set_child(in(exec, node), child);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get_event(node, cudaGraphNodeTypeEventRecord, event);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(node_of(node), cudaGraphNodeTypeEventRecord, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(node_of(node), cudaGraphNodeTypeWaitEvent, event);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(in(exec, node), cudaGraphNodeTypeEventRecord, event);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(in(exec, node), cudaGraphNodeTypeWaitEvent, event);
}

namespace {

/// Parameters of any type: calls the function for the type. `exec` null: the graph's own node.
cudaError_t set_any(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaGraphNodeParams* p) {
    if (const auto* n = node_of(node); !n || !p || n->operation.type != p->type) return cudaErrorInvalidValue;
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            cudaKernelNodeParams k;
            std::memcpy(static_cast<void*>(&k), &p->kernel, sizeof k);
            return exec ? impl::cudaGraphExecKernelNodeSetParams(exec, node, &k)
                        : impl::cudaGraphKernelNodeSetParams(node, &k);
        }
        case cudaGraphNodeTypeMemcpy:
            return exec ? impl::cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams)
                        : impl::cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            cudaMemsetParams m;
            std::memcpy(&m, &p->memset, sizeof m);
            return exec ? impl::cudaGraphExecMemsetNodeSetParams(exec, node, &m)
                        : impl::cudaGraphMemsetNodeSetParams(node, &m);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams h{p->host.fn, p->host.userData};
            return exec ? impl::cudaGraphExecHostNodeSetParams(exec, node, &h)
                        : impl::cudaGraphHostNodeSetParams(node, &h);
        }
        case cudaGraphNodeTypeGraph:
            return exec ? set_child(in(exec, node), p->graph.graph) : set_child(node_of(node), p->graph.graph);
        case cudaGraphNodeTypeEventRecord:
            return set_event(exec ? in(exec, node) : node_of(node), p->type, p->eventRecord.event);
        case cudaGraphNodeTypeWaitEvent:
            return set_event(exec ? in(exec, node) : node_of(node), p->type, p->eventWait.event);
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

cudaError_t cudaGraphNodeGetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
    const auto* n = node_of(node);
    if (!n || !p) return cudaErrorInvalidValue;
    std::memset(static_cast<void*>(p), 0, sizeof *p);
    p->type = n->operation.type;
    switch (p->type) {
        case cudaGraphNodeTypeKernel:
            std::memcpy(static_cast<void*>(&p->kernel), &n->kernel, sizeof n->kernel);
            return cudaSuccess;
        case cudaGraphNodeTypeMemcpy:
            return impl::cudaGraphMemcpyNodeGetParams(node, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset:
            return impl::cudaGraphMemsetNodeGetParams(node, reinterpret_cast<cudaMemsetParams*>(&p->memset));
        case cudaGraphNodeTypeHost: {
            cudaHostNodeParams h;
            if (auto e = impl::cudaGraphHostNodeGetParams(node, &h); e != cudaSuccess) return e;
            p->host.fn = h.fn, p->host.userData = h.userData;
            return cudaSuccess;
        }
        case cudaGraphNodeTypeGraph:
            return impl::cudaGraphChildGraphNodeGetGraph(node, &p->graph.graph);
        case cudaGraphNodeTypeEventRecord:
            return get_event(node, p->type, &p->eventRecord.event);
        case cudaGraphNodeTypeWaitEvent:
            return get_event(node, p->type, &p->eventWait.event);
        case cudaGraphNodeTypeMemAlloc:
            std::memcpy(&p->alloc, &n->alloc, sizeof n->alloc);
            return cudaSuccess;
        case cudaGraphNodeTypeMemFree:
            p->free.dptr = n->freed;
            return cudaSuccess;
        case cudaGraphNodeTypeConditional:
            p->conditional = n->conditional;
            return cudaSuccess;
        default:
            return cudaSuccess;  // an empty node has none
    }
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) { return set_any(nullptr, node, p); }
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* p) {
    return exec ? set_any(exec, node, p) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
    auto* node = of_type(handle, cudaGraphNodeTypeKernel);
    if (!node || !value) return cudaErrorInvalidValue;
    std::memset(static_cast<void*>(value), 0, sizeof *value);
    if (const auto found = node->attributes.find(id); found != node->attributes.end()) *value = found->second;
    const auto& c = node->launch->config;
    if (id == cudaLaunchAttributeCooperative) value->cooperative = c.cooperative;
    if (id == cudaLaunchAttributeClusterDimension) value->clusterDim = {c.cluster.x, c.cluster.y, c.cluster.z};
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
    auto* node = of_type(handle, cudaGraphNodeTypeKernel);
    if (!node || !value) return cudaErrorInvalidValue;
    node->attributes[id] = *value;
    if (id != cudaLaunchAttributeCooperative && id != cudaLaunchAttributeClusterDimension) return cudaSuccess;
    // Copies of the graph share this launch, and must stay as they are.
    auto launch = std::make_shared<Launch>(*node->launch);
    if (id == cudaLaunchAttributeCooperative)
        launch->config.cooperative = value->cooperative != 0;
    else
        launch->config.cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    set_kernel(*node, std::move(launch));
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t destination, cudaGraphNode_t source) {
    auto *from = of_type(source, cudaGraphNodeTypeKernel), *to = of_type(destination, cudaGraphNodeTypeKernel);
    if (!from || !to) return cudaErrorInvalidValue;
    to->attributes = from->attributes;
    auto launch = std::make_shared<Launch>(*to->launch);
    launch->config.cooperative = from->launch->config.cooperative;
    launch->config.cluster = from->launch->config.cluster;
    set_kernel(*to, std::move(launch));
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* dependents, cudaGraphEdgeData*,
                                           size_t* count) {
    auto* node = node_of(handle);
    if (!node || !count) return cudaErrorInvalidValue;
    std::vector<Node*> found;
    for (const auto& n : node->graph->nodes)
        if (std::find(n->after.begin(), n->after.end(), node) != n->after.end()) found.push_back(n.get());
    list(found, dependents, count);
    return cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
    auto g = graph(handle);
    if (!g || !path) return cudaErrorInvalidValue;
    std::ofstream out(path);
    unsigned graphs = 0, number = 0;
    out << "digraph dot {\n";
    draw(out, *g, graphs, number);
    out << "}\n";
    return out.flush() ? cudaSuccess : cudaErrorOperatingSystem;
}

}  // namespace impl
}  // namespace warpwright::cudart
