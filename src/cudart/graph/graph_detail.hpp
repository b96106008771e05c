// What the entry points of graphs share: the tables of handles that a program holds, and parameters made into the
// operations of nodes. A handle that is not in its table stands for nothing.
#pragma once

#include "cudart/graph/conditional.hpp"
#include "cudart/graph/graph.hpp"

namespace warpwright::cudart::graph_detail {

/// By which the program knows a graph from now on.
cudaGraph_t handle(std::shared_ptr<Graph> graph);
cudaGraphExec_t handle(std::shared_ptr<GraphExec> exec);
/// What a handle stands for; nullptr for one that stands for nothing.
std::shared_ptr<Graph> graph(cudaGraph_t handle);
std::shared_ptr<GraphExec> executable(cudaGraphExec_t handle);
/// The handle stands for nothing from now on, and those of a graph's bodies too. False: it stood for nothing before.
bool forget(cudaGraph_t handle);
bool forget(cudaGraphExec_t handle);

/// The node of an executable graph that stands for one of the graph it was made from; nullptr where there is none.
Node* in(cudaGraphExec_t exec, cudaGraphNode_t node);
/// Nodes of the first graph keep naming their places. The two are alike.
void take_names(Graph& fresh, const Graph& old);

cudaError_t kernel(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch);
cudaError_t copy(const cudaMemcpy3DParms* p, Operation& out);
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out);
cudaError_t fill(const cudaMemsetParams* p, Operation& out);
Operation host(cudaHostFn_t function, void* data);
cudaError_t record(cudaEvent_t event, Operation& out);
cudaError_t wait(cudaEvent_t event, Operation& out);

/// Gives a list in the runtime's way: as many as there is room for, and how many there are.
void list(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count);

}  // namespace warpwright::cudart::graph_detail
