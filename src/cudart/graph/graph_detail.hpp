// What api_graph.cpp and api_graph_nodes.cpp share: parameters made into operations, handles looked up.
#pragma once

#include "cudart/graph/graph.hpp"

namespace warpwright::cudart::graph_detail {

cudaError_t kernel(const cudaKernelNodeParams& p, std::shared_ptr<Launch>& launch);
cudaError_t copy(const cudaMemcpy3DParms* p, Operation& out);
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& out);
cudaError_t fill(const cudaMemsetParams* p, Operation& out);
Operation host(cudaHostFn_t function, void* data);
cudaError_t record(cudaEvent_t event, Operation& out);
cudaError_t wait(cudaEvent_t event, Operation& out);
/// By which the program knows a graph from now on.
cudaGraph_t handle(std::shared_ptr<Graph> graph);
/// The node of an executable graph that stands for one of the graph it was made from; nullptr where there is none.
Node* in(cudaGraphExec_t exec, cudaGraphNode_t node);
std::shared_ptr<Graph> graph(cudaGraph_t handle);
/// Gives a list in the runtime's way: as many as there is room for, and how many there are.
void list(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count);

}  // namespace warpwright::cudart::graph_detail
