// Graphs: nodes of work with their dependencies, built one by one or by capturing streams; and executable graphs, which
// keep their own copy.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "cudart/work/graph/graphs_in_use.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "cudart/work/stream/operation.hpp"

namespace warpwright::cudart {

struct Graph;
struct GraphExec;

/// What a handle may lead to: it is known from when it is made until it is gone, and no other ever has its handle.
struct Known {
    const cudaGraphNode_t handle;
    Known();
    ~Known();
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;
};

struct Node : Known {
    Graph* graph = nullptr;
    Operation operation;
    std::vector<Node*> after;
    std::shared_ptr<Launch> launch;  ///< kernel nodes
    cudaKernelNodeParams kernel{};
    std::vector<void*> values;       ///< for kernel.kernelParams: pointers into launch->parameters
    cudaMemAllocNodeParams alloc{};  ///< allocation nodes
    void* freed = nullptr;
    std::shared_ptr<Graph> child;
    cudaConditionalNodeParams conditional{};  ///< conditional nodes
    std::vector<std::shared_ptr<Graph>> bodies;
    std::vector<cudaGraph_t> body_handles;  ///< the handles by which the program knows them
    Node* original = nullptr;               ///< in a copy: the node it is a copy of
    bool enabled = true;
    std::map<int, cudaLaunchAttributeValue> attributes;  ///< kernel nodes: those that were set
};

/// The value of a conditional handle.
struct Condition {
    unsigned initial = 0;
    bool assign = false;  ///< each launch begins with it
    bool used = false;    ///< a node has it
};

class Conditions;

struct Graph : std::enable_shared_from_this<Graph> {
    std::vector<std::unique_ptr<Node>> nodes;
    std::map<cudaGraphConditionalHandle, Condition> conditions;
    std::vector<std::shared_ptr<void>> memory;  ///< memory that allocation nodes hand out
    std::weak_ptr<GraphExec> executable;        ///< of a graph with memory nodes, which can have only one at a time
    cudaGraph_t handle = nullptr;               ///< by which the program knows it; null where it does not
    std::weak_ptr<Graph> around;                ///< of a conditional node's body: the graph with the node
    Node* add(Operation operation, std::vector<Node*> after);
    std::shared_ptr<Graph> clone() const;
    /// The copy of a node, in a copy of its graph.
    Node* copy_of(const Node* original) const;
    /// The nodes, each after its dependencies; empty if these form a cycle.
    std::vector<Node*> in_order() const;
    /// Does all of the work, and returns it for the modelled clock.
    timeline::Work run() const;
};

struct GraphExec {
    std::shared_ptr<Graph> graph;
    std::shared_ptr<Conditions> values;
    unsigned long long flags = 0;
    std::atomic<bool> uploaded = false;  ///< it was, or it was launched: kernels may launch it then
};

/// A running capture: the graph, and for each stream the nodes on which its next work depends.
struct Capture {
    std::shared_ptr<Graph> graph;
    std::shared_ptr<Stream> origin;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    unsigned long long id = 0;
    std::map<Stream*, std::vector<Node*>> last;
    std::vector<std::shared_ptr<Stream>> streams;
    std::vector<cudaGraphNode_t> handles;  ///< handles that cudaStreamGetCaptureInfo has returned
    std::vector<cudaGraphEdgeData> edges;  ///< of the same nodes: plain ones, all zero
    bool into_given = false;               ///< the graph is the program's own
    std::thread::id thread;                ///< where it began
    std::atomic<bool> invalid = false;     ///< a rule was broken (capture_rules.hpp)

    cudaError_t add(Operation operation, const std::shared_ptr<Stream>& stream);
    cudaError_t add_kernel(std::shared_ptr<Launch> launch, const std::shared_ptr<Stream>& stream);
    Node* put(Operation operation, const std::shared_ptr<Stream>& stream);
    void join(const std::shared_ptr<Stream>& stream, const std::vector<Node*>& after);
};

/// Makes a kernel node's operation and parameters from a launch.
void set_kernel(Node& node, std::shared_ptr<Launch> launch);
/// Allocates memory for a node of this graph to hand out.
cudaError_t allocate_for(Graph& graph, void** pointer, std::uint64_t bytes);
/// Whether a node of the graph, or of one within it, is of one of these types.
bool has_node(const Graph& graph, std::initializer_list<cudaGraphNodeType> types);
/// Whether nodes of the graph, or of one within it, allocate or free memory.
bool has_memory_nodes(const Graph& graph);
/// Handles the memory of a graph's nodes at a launch: allocations that the graph does not free itself belong to the
/// program from now on. If one of them does already, it returns cudaErrorInvalidValue and does nothing: the allocation
/// must be freed first, or by the launch (`free_before`, cudaGraphInstantiateFlagAutoFreeOnLaunch).
cudaError_t hand_out_memory(const Graph& graph, bool free_before);

inline cudaGraphNode_t handle_of(const Node* node) { return node ? node->handle : nullptr; }
/// Null where the handle is of no node that there is.
Node* node_of(cudaGraphNode_t handle);
/// The same for several; false where one of them is none, or, with a graph, is none of the graph's.
bool nodes_of(const cudaGraphNode_t* handles, std::size_t count, std::vector<Node*>& nodes,
              const Graph* graph = nullptr);

}  // namespace warpwright::cudart
