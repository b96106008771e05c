// The values belong to one run of an executable graph and are reached through the thread that runs it. A loop has a
// time limit, since its condition may never become false.
#include "cudart/work/graph/conditional.hpp"

#include <algorithm>
#include <atomic>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

Conditions*& current_conditions() {
    thread_local Conditions* conditions = nullptr;
    return conditions;
}

void TimeLimit::check(const char* what) const {
    auto& runtime = Runtime::get();
    const auto limit = runtime.settings.timeout;
    if (limit <= 0 || std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() < limit) return;
    runtime.say(std::string(what) + " (a longer --timeout, if it should take that long)");
    runtime.stick(cudaErrorLaunchTimeout);
}

void Conditions::begin(const Graph& graph) {
    std::lock_guard lock(mutex_);
    take(graph);
}

void Conditions::take(const Graph& graph) {
    for (const auto& [handle, c] : graph.conditions) {
        auto& value = values_[handle];
        if (c.assign) value = c.initial;
    }
    for (const auto& node : graph.nodes) {
        if (node->child) take(*node->child);
        for (const auto& body : node->bodies) take(*body);
    }
}

unsigned Conditions::value(cudaGraphConditionalHandle handle) {
    std::lock_guard lock(mutex_);
    return values_[handle];
}

bool Conditions::set(cudaGraphConditionalHandle handle, unsigned value) {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(handle);
    if (found == values_.end()) return false;
    found->second = value;
    return true;
}

bool Conditions::launch(std::shared_ptr<GraphExec> graph, bool tail) {
    std::lock_guard lock(mutex_);
    auto& waiting = tail ? tails_ : any_time_;
    if (waiting.size() >= (tail ? kMostTails : kMostAnyTime)) return false;
    waiting.push_back(std::move(graph));
    return true;
}

std::vector<std::shared_ptr<GraphExec>> Conditions::launched() {
    std::lock_guard lock(mutex_);
    auto all = std::exchange(any_time_, {});
    all.insert(all.end(), tails_.begin(), tails_.end());
    tails_.clear();
    return all;
}

/// A handle belongs to the graph for which it was created, and to one node: of that graph, or of a body within it.
static Condition* condition_of(Graph& graph, cudaGraphConditionalHandle handle) {
    if (const auto found = graph.conditions.find(handle); found != graph.conditions.end()) return &found->second;
    const auto around = graph.around.lock();
    return around ? condition_of(*around, handle) : nullptr;
}

cudaError_t add_conditional(Graph& graph, std::vector<Node*> after, cudaConditionalNodeParams& p, cudaGraphNode_t* node,
                            cudaGraph_t (*keep)(std::shared_ptr<Graph>)) {
    auto* condition = condition_of(graph, p.handle);
    if (!node || !condition || condition->used) return cudaErrorInvalidValue;
    const unsigned most = p.type == cudaGraphCondTypeIf ? 2 : p.type == cudaGraphCondTypeWhile ? 1 : 1024;
    if (p.type > cudaGraphCondTypeSwitch || p.size == 0 || p.size > most) return cudaErrorInvalidValue;
    condition->used = true;
    auto* made = graph.add({}, std::move(after));
    made->conditional = p;
    for (unsigned k = 0; k < p.size; ++k) {
        made->bodies.push_back(std::make_shared<Graph>());
        made->bodies.back()->around = graph.weak_from_this();
        made->body_handles.push_back(keep(made->bodies.back()));
    }
    made->conditional.phGraph_out = p.phGraph_out = made->body_handles.data();
    set_conditional_node(*made);
    *node = handle_of(made);
    return cudaSuccess;
}

void set_conditional_node(Node& node) {
    const auto p = node.conditional;
    node.operation = {
        cudaGraphNodeTypeConditional, [p, bodies = node.bodies] {
            auto& runtime = Runtime::get();
            auto* values = current_conditions();
            std::vector<timeline::Work> done;
            if (!values) return timeline::Work{};
            auto value = values->value(p.handle);
            if (p.type == cudaGraphCondTypeIf) {
                const unsigned which = value ? 0 : 1;
                if (which < p.size) done.push_back(bodies[which]->run());
            } else if (p.type == cudaGraphCondTypeSwitch) {
                if (value < p.size) done.push_back(bodies[value]->run());
            } else {
                TimeLimit limit;
                for (; value && runtime.sticky() == cudaSuccess && !runtime.ending(); value = values->value(p.handle)) {
                    done.push_back(bodies[0]->run());
                    limit.check("a WHILE node of a graph did not end in time: nothing has set its condition to 0");
                }
            }
            return timeline::sequence(std::move(done));
        }};
}

cudaGraphInstantiateResult check_conditions(const Graph& graph, bool body) {
    for (const auto& [handle, c] : graph.conditions)
        if (!c.used) return cudaGraphInstantiateConditionalHandleUnused;
    for (const auto& node : graph.nodes) {
        switch (node->operation.type) {
            case cudaGraphNodeTypeKernel:
            case cudaGraphNodeTypeMemcpy:
            case cudaGraphNodeTypeMemset:
            case cudaGraphNodeTypeEmpty:
            case cudaGraphNodeTypeGraph:
            case cudaGraphNodeTypeConditional:
                break;
            default:
                if (!body) break;
                Runtime::get().say(
                    "the body of a conditional node takes kernels, copies, fills, empty nodes, child graphs and "
                    "conditional nodes only");
                return cudaGraphInstantiateNodeOperationNotSupported;
        }
        if (node->child)
            if (const auto r = check_conditions(*node->child, body); r != cudaGraphInstantiateSuccess) return r;
        for (const auto& b : node->bodies) {
            if (!b->nodes.empty() && b->in_order().empty()) return cudaGraphInstantiateInvalidStructure;
            if (const auto r = check_conditions(*b, true); r != cudaGraphInstantiateSuccess) return r;
        }
    }
    return cudaGraphInstantiateSuccess;
}

}  // namespace warpwright::cudart
