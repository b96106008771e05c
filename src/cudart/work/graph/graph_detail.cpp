// Parameters are checked when a node is made or changed, so that errors come at the call and not at a launch. An
// executable graph that is in use is copied before it changes.
#include "cudart/work/graph/graph_detail.hpp"

#include <algorithm>

#include "cudart/state/runtime.hpp"
#include "cudart/work/program_observer.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart::graph_detail {
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

/// Bodies are destroyed with the graph that contains them.
void forget_bodies(const Graph& graph) {
    for (const auto& node : graph.nodes)
        for (std::size_t k = 0; k < node->body_handles.size(); ++k) {
            forget_bodies(*node->bodies[k]);
            graphs().erase(node->body_handles[k]);
        }
}

}  // namespace

cudaGraph_t handle(std::shared_ptr<Graph> graph) {
    std::lock_guard lock(graphs_mutex);
    if (!graph->handle) graph->handle = fresh_handle<cudaGraph_t>();
    const auto made = graph->handle;
    graphs()[made] = std::move(graph);
    return made;
}

cudaGraphExec_t handle(std::shared_ptr<GraphExec> exec) {
    std::lock_guard lock(graphs_mutex);
    const auto made = fresh_handle<cudaGraphExec_t>();
    execs()[made] = std::move(exec);
    return made;
}

std::shared_ptr<Graph> graph(cudaGraph_t handle) {
    std::lock_guard lock(graphs_mutex);
    auto found = graphs().find(handle);
    return found == graphs().end() ? nullptr : found->second;
}

std::shared_ptr<GraphExec> executable(cudaGraphExec_t handle) {
    std::lock_guard lock(graphs_mutex);
    auto found = execs().find(handle);
    return found == execs().end() ? nullptr : found->second;
}

bool forget(cudaGraph_t handle) {
    std::shared_ptr<Graph> gone;  // goes after the lock: its objects' functions are the program's
    std::lock_guard lock(graphs_mutex);
    const auto at = graphs().find(handle);
    if (at == graphs().end()) return false;
    gone = std::move(at->second);
    graphs().erase(at);
    forget_bodies(*gone);
    return true;
}

bool forget(cudaGraphExec_t handle) {
    std::shared_ptr<GraphExec> gone;  // as above
    std::lock_guard lock(graphs_mutex);
    const auto at = execs().find(handle);
    if (at == execs().end()) return false;
    gone = std::move(at->second);
    execs().erase(at);
    return true;
}

void take_names(Graph& fresh, const Graph& old) {
    for (size_t k = 0; k < std::min(old.nodes.size(), fresh.nodes.size()); ++k) {
        auto &to = *fresh.nodes[k], &from = *old.nodes[k];
        to.enabled = from.enabled;
        if (to.original) {
            to.original = from.original;
            take_origins(to, from);
        }
        if (from.child && to.child) take_names(*to.child, *from.child);
        for (size_t n = 0; n < from.bodies.size(); ++n) take_names(*to.bodies[n], *from.bodies[n]);
    }
}

Node* in(cudaGraphExec_t exec, cudaGraphNode_t node) {
    auto e = executable(exec);
    if (!e) return nullptr;
    // Launches that are queued or running continue with the graph as it was at the call.
    if (e->graph.use_count() > 1) {
        auto fresh = e->graph->clone();
        take_names(*fresh, *e->graph);
        e->graph = std::move(fresh);
    }
    const auto* original = node_of(node);
    return original ? e->graph->copy_of(original) : nullptr;
}

cudaError_t kernel(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch) {
    launch = std::make_shared<Launch>();
    return prepare(*launch, p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra);
}

cudaError_t copy(const cudaMemcpy3DParms* p, Operation& out) {
    Copy c;
    if (!p) return cudaErrorInvalidValue;
    if (auto e = copy_of(c, *p); e != cudaSuccess) return e;
    if (auto e = check(c, Absent::found); e != cudaSuccess) return e;
    out = cudart::operation(c);
    return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out) {
    Copy c;
    c.to = {static_cast<std::byte*>(to), bytes, bytes};
    c.from = {static_cast<std::byte*>(const_cast<void*>(from)), bytes, bytes};
    c.width = bytes, c.kind = kind;
    if (auto e = check(c, Absent::found); e != cudaSuccess) return e;
    out = cudart::operation(c);
    return cudaSuccess;
}

cudaError_t fill(const cudaMemsetParams* p, Operation& out) {
    if (!p) return cudaErrorInvalidValue;
    Fill f;
    f.to = {static_cast<std::byte*>(p->dst), p->pitch, 0};
    f.value = p->value, f.element = p->elementSize, f.width = p->width, f.height = p->height;
    if (auto e = check(f, Absent::found); e != cudaSuccess) return e;
    out = operation(f);
    return cudaSuccess;
}

Operation host(cudaHostFn_t function, void* data) {
    auto given = std::make_shared<NodeParameters>();
    given->host = {function, data};
    return {cudaGraphNodeTypeHost,
            [=] {
                run_as_work([&] { function(data); });
                return timeline::Work{};
            },
            std::move(given)};
}

cudaError_t record(cudaEvent_t handle, Operation& out) {
    auto event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    auto given = std::make_shared<NodeParameters>();
    given->event = handle;
    out = {cudaGraphNodeTypeEventRecord,
           [event] {
               timeline::Work work;
               work.mark = std::make_shared<timeline::Moment>();
               std::lock_guard lock(event->mutex);
               event->mark = work.mark;
               return work;
           },
           std::move(given)};
    return cudaSuccess;
}

cudaError_t wait(cudaEvent_t handle, Operation& out) {
    auto event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    auto given = std::make_shared<NodeParameters>();
    given->event = handle;
    out = {cudaGraphNodeTypeWaitEvent,
           [event] {
               Ticket ticket;
               timeline::Work work;
               {
                   std::lock_guard lock(event->mutex);
                   ticket = event->ticket;
                   if (event->mark) work.marks = {event->mark};
               }
               Scheduler::get().wait_here(ticket);
               return work;
           },
           std::move(given)};
    return cudaSuccess;
}

void list(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count) {
    if (to) {
        for (size_t k = 0; k < *count; ++k) to[k] = k < nodes.size() ? handle_of(nodes[k]) : nullptr;
        *count = std::min(*count, nodes.size());
    } else {
        *count = nodes.size();
    }
}

}  // namespace warpwright::cudart::graph_detail
