// Conditional nodes of graphs: values that kernels set, and bodies that run depending on them. A handle names a value
// in every graph made from the one for which it was created; each executable graph has its own values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cudart/work/graph/graph.hpp"

namespace warpwright::cudart {

/// Of work that goes on for as long as kernels want it to.
class TimeLimit {
public:
    /// Ends the launch with an error where it has taken longer than --timeout since this object was made.
    void check(const char* what) const;

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// What kernels of an executable graph set while it runs: values, and further graphs to run after it.
class Conditions {
public:
    /// Every handle of the graph and of the graphs within it, each with its default if the graph starts with that.
    void begin(const Graph& graph);
    /// The executable graph, as the program knows it; 0 until it has a handle.
    void set_graph(cudaGraphExec_t graph) { graph_ = graph; }
    cudaGraphExec_t graph() const { return graph_; }
    unsigned value(cudaGraphConditionalHandle handle);
    /// False where the graph has no such handle.
    bool set(cudaGraphConditionalHandle handle, unsigned value);
    /// A kernel launches another graph: to run when this one has ended (`tail`), or at any time. False: so many wait
    /// already.
    bool launch(std::shared_ptr<GraphExec> graph, bool tail);
    /// Those that wait, which they do no longer; the ones for any time first.
    std::vector<std::shared_ptr<GraphExec>> launched();

private:
    static constexpr std::size_t kMostTails = 255, kMostAnyTime = 120;
    std::vector<std::shared_ptr<GraphExec>> any_time_, tails_;
    void take(const Graph& graph);
    std::mutex mutex_;
    std::map<cudaGraphConditionalHandle, unsigned> values_;
    cudaGraphExec_t graph_ = nullptr;
};

/// The values of the graph that the calling thread runs; nullptr: none.
Conditions*& current_conditions();

/// The part of cudaGraphAddNode for this type. `keep` keeps the new graphs.
cudaError_t add_conditional(Graph& graph, std::vector<Node*> after, cudaConditionalNodeParams& p, cudaGraphNode_t* node,
                            cudaGraph_t (*keep)(std::shared_ptr<Graph>));
/// Gives a conditional node its work, from its own bodies.
void set_conditional_node(Node& node);

/// The reason why a graph cannot be instantiated, as far as it concerns conditional nodes.
cudaGraphInstantiateResult check_conditions(const Graph& graph, bool body = false);

}  // namespace warpwright::cudart
