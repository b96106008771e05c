// Graphs as a whole: creation, copies, instantiation, launches, updates.
#include <utility>

#include "cudart/api/api.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/graph_detail.hpp"

namespace warpwright::cudart::impl {
namespace {

/// Whether two graphs differ only in the parameters of their nodes.
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

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    if (!graph || flags) return cudaErrorInvalidValue;
    *graph = graph_detail::handle(std::make_shared<Graph>());
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return graph_detail::forget(handle) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    auto g = graph_detail::graph(graph);
    if (!g || !clone) return cudaErrorInvalidValue;
    *clone = graph_detail::handle(g->clone());
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
    auto g = graph_detail::graph(graph);
    if (!g || !exec || !parameters) return cudaErrorInvalidValue;
    auto& result = parameters->result_out;
    result = !g->nodes.empty() && g->in_order().empty() ? cudaGraphInstantiateInvalidStructure : check_conditions(*g);
    if (result != cudaGraphInstantiateSuccess) return cudaErrorInvalidValue;
    // Each of its allocations has one address, which two executable graphs would both hand out.
    if (has_memory_nodes(*g) && !g->executable.expired()) return cudaErrorNotSupported;
    auto e = std::make_shared<GraphExec>();
    g->executable = e;
    e->graph = g->clone();
    e->flags = parameters->flags;
    e->uploaded = (parameters->flags & cudaGraphInstantiateFlagUpload) != 0;
    e->values = std::make_shared<Conditions>();
    auto values = e->values;
    *exec = graph_detail::handle(std::move(e));
    values->set_graph(*exec);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    return graph_detail::forget(exec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
    auto e = graph_detail::executable(exec);
    if (!e || !flags) return cudaErrorInvalidValue;
    *flags = e->flags;
    return cudaSuccess;
}

namespace {

timeline::Work run_one(const Graph& graph, Conditions& values) {
    values.begin(graph);
    auto* const before = std::exchange(current_conditions(), &values);
    auto done = graph.run();
    current_conditions() = before;
    return done;
}

/// Runs a graph, and then those that its kernels launched. What one of these launches comes before the next of them.
timeline::Work run_with_launched(std::shared_ptr<Graph> graph, std::shared_ptr<Conditions> values) {
    std::vector<timeline::Work> done;
    std::vector<std::shared_ptr<GraphExec>> next;  // the last one is the next one
    auto& runtime = Runtime::get();
    for (const TimeLimit limit;; limit.check("graphs that launch each other did not end in time")) {
        done.push_back(run_one(*graph, *values));
        const auto launched = values->launched();
        next.insert(next.end(), launched.rbegin(), launched.rend());
        if (next.empty() || runtime.sticky() != cudaSuccess || runtime.ending()) break;
        graph = next.back()->graph, values = next.back()->values;
        next.pop_back();
    }
    return done.size() == 1 ? std::move(done.front()) : timeline::sequence(std::move(done));
}

}  // namespace

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
    auto e = graph_detail::executable(exec);
    if (!e) return cudaErrorInvalidValue;
    std::unique_lock graphs(graphs_in_use());
    const bool auto_free = (e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    if (auto error = hand_out_memory(*e->graph, auto_free); error != cudaSuccess) return error;
    e->uploaded = true;
    // Later changes of the executable graph apply to later launches.
    std::shared_ptr<Graph> graph = e->graph;
    const auto work = [graph, values = e->values] { return run_with_launched(graph, values); };
    graphs.unlock();
    auto& scheduler = Scheduler::get();
    const auto stream = scheduler.find(handle);
    const auto done = submit(stream, {cudaGraphNodeTypeGraph, work}, Wait::no, false);
    if (scheduler.keeps_order() && done == cudaSuccess && !stream->capture) {
        if (has_node(*graph, {cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent})) scheduler.lose_order();
        if (has_node(*graph, {cudaGraphNodeTypeHost})) scheduler.host_hears(scheduler.here(stream));
    }
    return done;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    auto e = graph_detail::executable(exec);
    if (!e) return cudaErrorInvalidValue;
    e->uploaded = true;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    auto e = graph_detail::executable(exec);
    auto g = graph_detail::graph(graph);
    if (!e || !g) return cudaErrorInvalidValue;
    const bool same = alike(*e->graph, *g);
    if (info) *info = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    if (!same) return cudaErrorGraphExecUpdateFailure;
    auto fresh = g->clone();
    graph_detail::take_names(*fresh, *e->graph);
    e->graph = std::move(fresh);
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
