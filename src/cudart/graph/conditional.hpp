// Conditional nodes of graphs: values that kernels set, and bodies that run depending on them. A handle names a value
// in every graph made from the one for which it was created; each executable graph has its own values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cudart/graph/graph.hpp"

namespace warpwright::cudart {

/// The values of an executable graph.
class Conditions {
public:
    /// Every handle of the graph and of the graphs within it, each with its default if the graph starts with that.
    void begin(const Graph& graph);
    unsigned value(cudaGraphConditionalHandle handle);
    /// False where the graph has no such handle.
    bool set(cudaGraphConditionalHandle handle, unsigned value);

private:
    void take(const Graph& graph);
    std::mutex mutex_;
    std::map<cudaGraphConditionalHandle, unsigned> values_;
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
