// Graphs: capturing, making nodes, changing them, running.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "cudart/api/api.hpp"
#include "cudart/graph/conditional.hpp"
#include "cudart/graph/graph.hpp"
#include "cudart/graph/graph_detail.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {

std::mutex graphs_mutex;
std::map<cudaGraph_t, std::shared_ptr<Graph>>& graphs() {
    static auto* all = new std::map<cudaGraph_t, std::shared_ptr<Graph>>;
    return *all;
}
std::map<cudaGraphExec_t, std::shared_ptr<GraphExec>>& execs() {
    static auto* all = new std::map<cudaGraphExec_t, std::shared_ptr<GraphExec>>;
    return *all;
}

cudaGraph_t keep(std::shared_ptr<Graph> graph) {
    std::lock_guard lock(graphs_mutex);
    auto handle = reinterpret_cast<cudaGraph_t>(graph.get());
    graphs()[handle] = std::move(graph);
    return handle;
}

std::shared_ptr<Graph> find(cudaGraph_t handle) {
    std::lock_guard lock(graphs_mutex);
    auto found = graphs().find(handle);
    return found == graphs().end() ? nullptr : found->second;
}

std::shared_ptr<GraphExec> find(cudaGraphExec_t handle) {
    std::lock_guard lock(graphs_mutex);
    auto found = execs().find(handle);
    return found == execs().end() ? nullptr : found->second;
}

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                Operation operation, Node** made = nullptr) {
    auto g = find(graph);
    if (!g || !node || (count && !after)) return cudaErrorInvalidValue;
    std::vector<Node*> nodes;
    for (size_t k = 0; k < count; ++k) {
        if (!after[k] || node_of(after[k])->graph != g.get()) return cudaErrorInvalidValue;
        nodes.push_back(node_of(after[k]));
    }
    auto* n = g->add(std::move(operation), std::move(nodes));
    *node = handle_of(n);
    if (made) *made = n;
    return cudaSuccess;
}

/// Bodies go with the graph that they are in.
void forget(const Graph& graph) {
    for (const auto& node : graph.nodes)
        for (std::size_t k = 0; k < node->body_handles.size(); ++k) {
            forget(*node->bodies[k]);
            graphs().erase(node->body_handles[k]);
        }
}

/// Whether two graphs differ in no more than what their nodes do.
bool alike(const Graph& a, const Graph& b) {
    bool same = a.nodes.size() == b.nodes.size();
    for (size_t k = 0; same && k < a.nodes.size(); ++k) {
        const auto &x = *a.nodes[k], &y = *b.nodes[k];
        same = x.operation.type == y.operation.type && x.after.size() == y.after.size() &&
               x.bodies.size() == y.bodies.size() && x.conditional.type == y.conditional.type;
        for (size_t n = 0; same && n < x.bodies.size(); ++n) same = alike(*x.bodies[n], *y.bodies[n]);
    }
    return same;
}

/// Nodes of the first graph keep naming their places. The two are alike.
void take_names(Graph& fresh, const Graph& old) {
    for (size_t k = 0; k < std::min(old.nodes.size(), fresh.nodes.size()); ++k) {
        auto &to = *fresh.nodes[k], &from = *old.nodes[k];
        to.enabled = from.enabled;
        if (to.original) to.original = from.original;
        if (from.child && to.child) take_names(*to.child, *from.child);
        for (size_t n = 0; n < from.bodies.size(); ++n) take_names(*to.bodies[n], *from.bodies[n]);
    }
}

cudaError_t launch_of(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch) {
    launch = std::make_shared<Launch>();
    return prepare(*launch, p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra);
}

cudaError_t copy_operation(const cudaMemcpy3DParms* p, Operation& out) {
    Copy c;
    if (!p) return cudaErrorInvalidValue;
    if (auto e = copy_of(c, *p); e != cudaSuccess) return e;
    if (auto e = check(c); e != cudaSuccess) return e;
    out = operation(c);
    return cudaSuccess;
}

cudaError_t copy_operation(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out) {
    Copy c;
    c.to = {static_cast<std::byte*>(to), bytes, bytes};
    c.from = {static_cast<std::byte*>(const_cast<void*>(from)), bytes, bytes};
    c.width = bytes, c.kind = kind;
    if (auto e = check(c); e != cudaSuccess) return e;
    out = operation(c);
    return cudaSuccess;
}

cudaError_t symbol_place(const void* symbol, size_t bytes, size_t offset, void*& at) {
    device::Address base = 0;
    std::uint64_t size = 0;
    if (auto e = Registry::get().variable(symbol, base, size); e != cudaSuccess) return e;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    at = reinterpret_cast<void*>(base + offset);
    return cudaSuccess;
}

cudaError_t fill_operation(const cudaMemsetParams* p, Operation& out) {
    if (!p) return cudaErrorInvalidValue;
    Fill f;
    f.to = {static_cast<std::byte*>(p->dst), p->pitch, 0};
    f.value = p->value, f.element = p->elementSize, f.width = p->width, f.height = p->height;
    if (auto e = check(f); e != cudaSuccess) return e;
    out = operation(f);
    return cudaSuccess;
}

Operation host_operation(cudaHostFn_t function, void* data) {
    auto given = std::make_shared<NodeParameters>();
    given->host = {function, data};
    return {cudaGraphNodeTypeHost,
            [=](const Stream&, double) {
                Runtime::get().flush_print();
                function(data);
                return 0.0;
            },
            std::move(given)};
}

cudaError_t record_operation(cudaEvent_t handle, Operation& out) {
    auto event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    auto given = std::make_shared<NodeParameters>();
    given->event = handle;
    out = {cudaGraphNodeTypeEventRecord,
           [event](const Stream&, double start) {
               std::lock_guard lock(event->mutex);
               event->time = start;
               return 0.0;
           },
           std::move(given)};
    return cudaSuccess;
}

cudaError_t wait_operation(cudaEvent_t handle, Operation& out) {
    auto event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    auto given = std::make_shared<NodeParameters>();
    given->event = handle;
    out = {cudaGraphNodeTypeWaitEvent,
           [event](const Stream&, double) {
               Ticket ticket;
               {
                   std::lock_guard lock(event->mutex);
                   ticket = event->ticket;
               }
               Scheduler::get().wait(ticket);
               return 0.0;
           },
           std::move(given)};
    return cudaSuccess;
}

Operation nothing(cudaGraphNodeType type) {
    return {type, [](const Stream&, double) { return 0.0; }};
}

/// The node of an executable graph that stands for one of the graph it was made from.
Node* node_in(cudaGraphExec_t exec, cudaGraphNode_t node) {
    auto e = find(exec);
    if (!e) return nullptr;
    // Launches that are queued, or under way, go on with what was there when they were asked for.
    if (e->graph.use_count() > 1) {
        auto fresh = e->graph->clone();
        take_names(*fresh, *e->graph);
        e->graph = std::move(fresh);
    }
    return e->graph->copy_of(node_of(node));
}

cudaError_t begin(cudaStream_t handle, std::shared_ptr<Graph> graph, bool given, std::vector<Node*> after,
                  cudaStreamCaptureMode mode) {
    static std::atomic<unsigned long long> ids{1};
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->graph = std::move(graph), capture->origin = stream, capture->mode = mode, capture->id = ids++;
    capture->into_given = given;
    capture->streams = {stream};
    capture->last[stream.get()] = std::move(after);
    stream->capture = capture;
    return cudaSuccess;
}

/// Gives a list in the runtime's way: as many as there is room for, and how many there are.
void give(const std::vector<Node*>& list, cudaGraphNode_t* to, size_t* count) {
    if (to) {
        for (size_t k = 0; k < *count; ++k) to[k] = k < list.size() ? handle_of(list[k]) : nullptr;
        *count = std::min(*count, list.size());
    } else {
        *count = list.size();
    }
}

}  // namespace

namespace impl {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin(stream, std::make_shared<Graph>(), false, {}, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
    auto g = find(graph);
    if (!g) return cudaErrorInvalidValue;
    std::vector<Node*> after;
    for (size_t k = 0; k < count; ++k) after.push_back(node_of(dependencies[k]));
    return begin(stream, g, true, std::move(after), mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    auto capture = stream->capture;
    if (!capture) return cudaErrorIllegalState;
    // Who captures into a graph of his own has it already.
    cudaGraph_t own = nullptr;
    if (!graph && capture->into_given) graph = &own;
    if (!graph) return cudaErrorInvalidValue;
    if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    // What the other streams did last must have been waited for by the one that the capture began in.
    std::set<const Node*> reached;
    std::vector<Node*> todo = capture->last[stream.get()];
    while (!todo.empty()) {
        auto* n = todo.back();
        todo.pop_back();
        if (reached.insert(n).second) todo.insert(todo.end(), n->after.begin(), n->after.end());
    }
    bool joined = true;
    for (const auto& s : capture->streams) {
        for (auto* n : capture->last[s.get()]) joined &= reached.count(n) != 0;
        s->capture.reset();
    }
    *graph = nullptr;
    if (!joined) return cudaErrorStreamCaptureUnjoined;
    *graph = capture->into_given ? reinterpret_cast<cudaGraph_t>(capture->graph.get()) : keep(capture->graph);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !status) return cudaErrorInvalidResourceHandle;
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !status) return cudaErrorInvalidResourceHandle;
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (edges) *edges = nullptr;
    if (count) *count = 0;
    if (!stream->capture) return cudaSuccess;
    auto& c = *stream->capture;
    if (id) *id = c.id;
    if (graph) *graph = c.into_given ? reinterpret_cast<cudaGraph_t>(c.graph.get()) : keep(c.graph);
    c.handles.clear();
    for (auto* n : c.last[stream.get()]) c.handles.push_back(handle_of(n));
    if (dependencies) *dependencies = c.handles.data();
    if (count) *count = c.handles.size();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count, unsigned flags) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return cudaErrorIllegalState;
    auto& last = stream->capture->last[stream.get()];
    if (flags == cudaStreamSetCaptureDependencies) last.clear();
    for (size_t k = 0; k < count; ++k) last.push_back(node_of(dependencies[k]));
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (!mode) return cudaErrorInvalidValue;
    std::swap(*mode, thread_state().capture_mode);
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    if (!graph) return cudaErrorInvalidValue;
    *graph = keep(std::make_shared<Graph>());
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    auto g = find(handle);
    if (!g) return cudaErrorInvalidValue;
    std::lock_guard lock(graphs_mutex);
    forget(*g);
    graphs().erase(handle);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    auto g = find(graph);
    if (!g || !clone) return cudaErrorInvalidValue;
    *clone = keep(g->clone());
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
    cudaGraphInstantiateParams parameters{};
    parameters.flags = flags;
    return impl::cudaGraphInstantiateWithParams(exec, graph, &parameters);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
    return impl::cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    auto g = find(graph);
    if (!g || !exec || !parameters) return cudaErrorInvalidValue;
    auto& result = parameters->result_out;
    result = !g->nodes.empty() && g->in_order().empty() ? cudaGraphInstantiateInvalidStructure : check_conditions(*g);
    if (result != cudaGraphInstantiateSuccess) return cudaErrorInvalidValue;
    auto e = std::make_shared<GraphExec>();
    e->graph = g->clone();
    e->flags = parameters->flags;
    e->values = std::make_shared<Conditions>();
    std::lock_guard lock(graphs_mutex);
    *exec = reinterpret_cast<cudaGraphExec_t>(e.get());
    execs()[*exec] = std::move(e);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    std::lock_guard lock(graphs_mutex);
    return execs().erase(exec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
    auto e = find(exec);
    if (!e || !flags) return cudaErrorInvalidValue;
    *flags = e->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
    auto e = find(exec);
    if (!e) return cudaErrorInvalidValue;
    // Changes made to the executable graph afterwards are for later launches.
    std::shared_ptr<Graph> graph = e->graph;
    const auto work = [graph, values = e->values](const Stream& s, double start) {
        values->begin(*graph);
        auto* const before = std::exchange(current_conditions(), values.get());
        const double seconds = graph->run(s, start);
        current_conditions() = before;
        return seconds;
    };
    return submit(Scheduler::get().find(handle), {cudaGraphNodeTypeGraph, work}, Wait::no, false);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    return find(exec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    auto e = find(exec);
    auto g = find(graph);
    if (!e || !g) return cudaErrorInvalidValue;
    const bool same = alike(*e->graph, *g);
    if (info) *info = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    if (!same) return cudaErrorGraphExecUpdateFailure;
    auto fresh = g->clone();
    take_names(*fresh, *e->graph);
    e->graph = std::move(fresh);
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* p) {
    if (!p) return cudaErrorInvalidValue;
    std::shared_ptr<Launch> launch;
    if (auto e = launch_of(*p, launch); e != cudaSuccess) return e;
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, {}, &made); e != cudaSuccess) return e;
    set_kernel(*made, std::move(launch));
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* p) {
    Operation o;
    if (auto e = copy_operation(p, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    Operation o;
    if (auto e = copy_operation(to, from, bytes, kind, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
    void* at = nullptr;
    if (auto e = symbol_place(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphAddMemcpyNode1D(node, graph, after, count, at, from, bytes, kind);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             size_t count, void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    void* at = nullptr;
    if (auto e = symbol_place(symbol, bytes, offset, at); e != cudaSuccess) return e;
    return impl::cudaGraphAddMemcpyNode1D(node, graph, after, count, to, at, bytes, kind);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* p) {
    Operation o;
    if (auto e = fill_operation(p, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* p) {
    if (!p || !p->fn) return cudaErrorInvalidValue;
    return add(node, graph, after, count, host_operation(p->fn, p->userData));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
    auto c = find(child);
    if (!c) return cudaErrorInvalidValue;
    Node* made = nullptr;
    auto own = c->clone();
    if (auto e =
            add(node, graph, after, count,
                {cudaGraphNodeTypeGraph, [own](const Stream& s, double start) { return own->run(s, start); }}, &made);
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
    if (auto e = record_operation(handle, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t count, cudaEvent_t handle) {
    Operation o;
    if (auto e = wait_operation(handle, o); e != cudaSuccess) return e;
    return add(node, graph, after, count, std::move(o));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, cudaMemAllocNodeParams* p) {
    auto g = find(graph);
    if (!g || !p) return cudaErrorInvalidValue;
    if (auto e = allocate_for(*g, &p->dptr, p->bytesize); e != cudaSuccess) return e;
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, nothing(cudaGraphNodeTypeMemAlloc), &made); e != cudaSuccess) return e;
    made->alloc = *p;
    return cudaSuccess;
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    size_t count, void* pointer) {
    Node* made = nullptr;
    if (auto e = add(node, graph, after, count, nothing(cudaGraphNodeTypeMemFree), &made); e != cudaSuccess) return e;
    made->freed = pointer;
    return cudaSuccess;
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
    if (!node || !p) return cudaErrorInvalidValue;
    *p = node_of(node)->alloc;
    return cudaSuccess;
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    if (!node || !pointer) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = node_of(node)->freed;
    return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void* value) {
    if (!value) return cudaErrorInvalidValue;
    *static_cast<std::uint64_t*>(value) = Runtime::get().memory_used();
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
            auto g = find(graph);
            if (!g || (count && !after)) return cudaErrorInvalidValue;
            std::vector<Node*> nodes;
            for (size_t k = 0; k < count; ++k) nodes.push_back(node_of(after[k]));
            if (std::any_of(nodes.begin(), nodes.end(), [&](Node* n) { return !n || n->graph != g.get(); }))
                return cudaErrorInvalidValue;
            return add_conditional(*g, std::move(nodes), p->conditional, node, keep);
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
        0x434f'4e44'0000'0001};  // no value that a program has by chance
    auto g = find(graph);
    if (!g || !handle || (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault))) return cudaErrorInvalidValue;
    *handle = next++;
    g->conditions[*handle] = {value, (flags & cudaGraphCondAssignDefault) != 0, false};
    return cudaSuccess;
}

}  // namespace impl

// What changes nodes, and tells of them: api_graph_nodes.cpp needs these.
namespace graph_detail {
cudaError_t kernel(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch) { return launch_of(p, launch); }
cudaError_t copy(const cudaMemcpy3DParms* p, Operation& out) { return copy_operation(p, out); }
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out) {
    return copy_operation(to, from, bytes, kind, out);
}
cudaError_t fill(const cudaMemsetParams* p, Operation& out) { return fill_operation(p, out); }
Operation host(cudaHostFn_t function, void* data) { return host_operation(function, data); }
cudaError_t record(cudaEvent_t event, Operation& out) { return record_operation(event, out); }
cudaError_t wait(cudaEvent_t event, Operation& out) { return wait_operation(event, out); }
cudaGraph_t handle(std::shared_ptr<Graph> graph) { return keep(std::move(graph)); }
Node* in(cudaGraphExec_t exec, cudaGraphNode_t node) { return node_in(exec, node); }
std::shared_ptr<Graph> graph(cudaGraph_t handle) { return find(handle); }
void list(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count) { give(nodes, to, count); }
}  // namespace graph_detail

}  // namespace warpwright::cudart
