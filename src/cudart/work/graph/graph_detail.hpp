// Shared by the entry points of graphs: the tables of the program's handles, and the conversion of parameters to
// operations. A handle that is not in its table is invalid.
#pragma once

#include "cudart/work/graph/conditional.hpp"
#include "cudart/work/graph/graph.hpp"

namespace warpwright::cudart {

/// From now on `to` is a copy of what `from` is a copy of (graph.cpp).
void take_origins(const Node& to, const Node& from);

}  // namespace warpwright::cudart

namespace warpwright::cudart::graph_detail {

/// The handle by which the program knows a graph from now on.
cudaGraph_t handle(std::shared_ptr<Graph> graph);
cudaGraphExec_t handle(std::shared_ptr<GraphExec> exec);
/// The graph of a handle; nullptr for an invalid one.
std::shared_ptr<Graph> graph(cudaGraph_t handle);
std::shared_ptr<GraphExec> executable(cudaGraphExec_t handle);
/// Makes a handle invalid, and those of a graph's bodies too. False: it was invalid before.
bool forget(cudaGraph_t handle);
bool forget(cudaGraphExec_t handle);

/// The node of an executable graph that corresponds to one of the original graph; nullptr if there is none.
Node* in(cudaGraphExec_t exec, cudaGraphNode_t node);
/// Lets the nodes of the first graph keep the program's handles of the second. The two have equal structure.
void take_names(Graph& fresh, const Graph& old);

cudaError_t kernel(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch);
cudaError_t copy(const cudaMemcpy3DParms* p, Operation& out);
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out);
cudaError_t fill(const cudaMemsetParams* p, Operation& out);
Operation host(cudaHostFn_t function, void* data);
cudaError_t record(cudaEvent_t event, Operation& out);
cudaError_t wait(cudaEvent_t event, Operation& out);

/// Returns a list in the runtime's way: as many entries as there is room for, and the number of all.
void list(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count);

}  // namespace warpwright::cudart::graph_detail
