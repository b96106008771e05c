// Nodes are known by handles in one table, so that a stale handle finds nothing. A graph is executed node by node in
// topological order, and the dependencies go to the modelled clock, which lets independent nodes overlap.
#include "cudart/work/graph/graph.hpp"

#include "cudart/work/graph/conditional.hpp"
#include "cudart/work/graph/graph_detail.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {

std::recursive_mutex& graphs_in_use() {
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}

namespace {

/// What there is: a handle that a program kept for longer must not lead anywhere.
struct AllKnown {
    std::mutex mutex;
    std::unordered_map<cudaGraphNode_t, Known*> all;
    /// Of each node that is a copy: what it is a copy of, and that, by handles: a copy may outlive all of these.
    std::unordered_map<cudaGraphNode_t, std::vector<cudaGraphNode_t>> origins;
};
AllKnown& known() {
    static auto* k = new AllKnown;
    return *k;
}

}  // namespace

Known::Known() : handle(fresh_handle<cudaGraphNode_t>()) {
    std::lock_guard lock(known().mutex);
    known().all.emplace(handle, this);
}
Known::~Known() {
    std::lock_guard lock(known().mutex);
    known().all.erase(handle);
    known().origins.erase(handle);
}

/// From now on `to` is a copy of `of`.
static void set_origin(const Node& to, const Node& of) {
    std::lock_guard lock(known().mutex);
    std::vector<cudaGraphNode_t> all{of.handle};
    if (const auto before = known().origins.find(of.handle); before != known().origins.end())
        all.insert(all.end(), before->second.begin(), before->second.end());
    known().origins[to.handle] = std::move(all);
}

void take_origins(const Node& to, const Node& from) {
    std::lock_guard lock(known().mutex);
    if (const auto those = known().origins.find(from.handle); those != known().origins.end())
        known().origins[to.handle] = std::vector(those->second);
}

/// How many copies a node is away from another; 0: it is none of it.
static std::size_t copies_from(const Node& node, const Node& original) {
    std::lock_guard lock(known().mutex);
    const auto of = known().origins.find(node.handle);
    if (of == known().origins.end()) return 0;
    const auto at = std::find(of->second.begin(), of->second.end(), original.handle);
    return at == of->second.end() ? 0 : static_cast<std::size_t>(at - of->second.begin()) + 1;
}

Node* node_of(cudaGraphNode_t handle) {
    std::lock_guard lock(known().mutex);
    const auto at = known().all.find(handle);
    return at == known().all.end() ? nullptr : static_cast<Node*>(at->second);
}

bool nodes_of(const cudaGraphNode_t* handles, std::size_t count, std::vector<Node*>& nodes, const Graph* graph) {
    if (count && !handles) return false;
    for (std::size_t k = 0; k < count; ++k) {
        nodes.push_back(node_of(handles[k]));
        if (!nodes.back() || (graph && nodes.back()->graph != graph)) return false;
    }
    return true;
}

Node* Graph::add(Operation operation, std::vector<Node*> after) {
    auto node = std::make_unique<Node>();
    node->graph = this;
    node->operation = std::move(operation);
    node->after = std::move(after);
    nodes.push_back(std::move(node));
    return nodes.back().get();
}

std::shared_ptr<Graph> Graph::clone() const {
    auto copy = std::make_shared<Graph>();
    copy->memory = memory;
    copy->conditions = conditions;
    std::unordered_map<const Node*, Node*> twin;
    for (const auto& node : nodes) {
        auto* to = copy->add(node->operation, {});
        to->launch = node->launch;
        to->alloc = node->alloc, to->freed = node->freed;
        to->enabled = node->enabled;
        to->attributes = node->attributes;
        if (node->launch) set_kernel(*to, node->launch);
        if (node->child) {
            to->child = node->child->clone();
            to->operation.run = [child = to->child] { return child->run(); };
        }
        if (!node->bodies.empty()) {
            to->conditional = node->conditional;
            for (const auto& body : node->bodies) {
                to->bodies.push_back(body->clone());
                to->bodies.back()->around = copy;
            }
            set_conditional_node(*to);
        }
        to->original = node.get();
        set_origin(*to, *node);
        twin[node.get()] = to;
    }
    for (const auto& node : nodes)
        for (auto* a : node->after) twin[node.get()]->after.push_back(twin[a]);
    return copy;
}

Node* Graph::copy_of(const Node* original) const {
    for (const auto& node : nodes)
        if (copies_from(*node, *original) == 1) return node.get();
    // In a copy of a copy, the originals are nodes of the program's own graph, which was captured or cloned before.
    for (const auto& node : nodes)
        if (copies_from(*node, *original)) return node.get();
    for (const auto& node : nodes) {
        if (node->child)
            if (auto* found = node->child->copy_of(original)) return found;
        for (const auto& body : node->bodies)
            if (auto* found = body->copy_of(original)) return found;
    }
    return nullptr;
}

std::vector<Node*> Graph::in_order() const {
    std::vector<Node*> order;
    std::unordered_map<const Node*, std::size_t> waits;
    std::unordered_map<const Node*, std::vector<Node*>> next;
    for (const auto& n : nodes) {
        waits[n.get()] = n->after.size();
        for (auto* a : n->after) next[a].push_back(n.get());
        if (n->after.empty()) order.push_back(n.get());
    }
    for (std::size_t k = 0; k < order.size(); ++k)
        for (auto* n : next[order[k]])
            if (--waits[n] == 0) order.push_back(n);
    if (order.size() != nodes.size()) order.clear();
    return order;
}

timeline::Work Graph::run() const {
    std::unordered_map<const Node*, std::uint32_t> index;
    timeline::Work whole;
    GraphOrder order;
    for (auto* node : in_order()) {
        timeline::Work part;
        std::vector<std::uint32_t> after;
        for (auto* a : node->after) after.push_back(index[a]);
        order.begin(after);
        if (node->enabled && node->operation.run) part = node->operation.run();
        order.end();
        part.after.insert(part.after.end(), after.begin(), after.end());
        index[node] = static_cast<std::uint32_t>(whole.inner.size());
        whole.inner.push_back(std::move(part));
    }
    return whole;
}

void set_kernel(Node& node, std::shared_ptr<Launch> launch) {
    const auto& c = launch->config;
    node.kernel = {};
    node.kernel.func = launch->kernel;
    node.kernel.gridDim = dim3(c.grid.x, c.grid.y, c.grid.z);
    node.kernel.blockDim = dim3(c.block.x, c.block.y, c.block.z);
    node.kernel.sharedMemBytes = static_cast<unsigned>(c.dynamic_shared);
    node.values.clear();
    for (const auto& p : launch->kernel->info->parameters) node.values.push_back(launch->parameters.data() + p.offset);
    node.kernel.kernelParams = node.values.data();
    node.launch = launch;
    node.operation = {cudaGraphNodeTypeKernel, [launch = std::move(launch)] { return run(*launch); }};
}

cudaError_t allocate_for(Graph& graph, void** pointer, std::uint64_t bytes) {
    if (auto e = MemoryTable::get().allocate_for_graph(pointer, bytes); e != cudaSuccess) return e;
    graph.memory.push_back(std::shared_ptr<void>(*pointer, [](void* p) { MemoryTable::get().leave_graph(p); }));
    return cudaSuccess;
}

namespace {

/// The memory that the nodes of a graph, and of those within it, allocate and free.
void collect_memory(const Graph& graph, std::set<void*>& allocated, std::set<void*>& freed) {
    for (const auto& node : graph.nodes) {
        if (!node->enabled) continue;
        if (node->alloc.dptr) allocated.insert(node->alloc.dptr);
        if (node->freed) freed.insert(node->freed);
        if (node->child) collect_memory(*node->child, allocated, freed);
    }
}

}  // namespace

bool has_node(const Graph& graph, std::initializer_list<cudaGraphNodeType> types) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
        return std::find(types.begin(), types.end(), node->operation.type) != types.end() ||
               (node->child && has_node(*node->child, types)) ||
               std::any_of(node->bodies.begin(), node->bodies.end(),
                           [&](const auto& body) { return has_node(*body, types); });
    });
}

bool has_memory_nodes(const Graph& graph) {
    std::set<void*> allocated, freed;
    collect_memory(graph, allocated, freed);
    return !allocated.empty() || !freed.empty();
}

cudaError_t hand_out_memory(const Graph& graph, bool free_before) {
    std::set<void*> allocated, freed;
    collect_memory(graph, allocated, freed);
    auto& table = MemoryTable::get();
    for (auto* p : allocated)
        if (!free_before && table.is_present(p)) return cudaErrorInvalidValue;
    for (auto* p : freed)
        if (!allocated.count(p) && !table.find(p)) return cudaErrorInvalidValue;
    for (auto* p : allocated) table.set_present(p, !freed.count(p));
    for (auto* p : freed)
        if (!allocated.count(p)) (void)table.release(p, false);
    return cudaSuccess;
}

Node* Capture::put(Operation operation, const std::shared_ptr<Stream>& stream) {
    auto* node = graph->add(std::move(operation), last[stream.get()]);
    last[stream.get()] = {node};
    return node;
}

cudaError_t Capture::add(Operation operation, const std::shared_ptr<Stream>& stream) {
    put(std::move(operation), stream);
    return cudaSuccess;
}

cudaError_t Capture::add_kernel(std::shared_ptr<Launch> launch, const std::shared_ptr<Stream>& stream) {
    set_kernel(*put({}, stream), std::move(launch));
    return cudaSuccess;
}

void Capture::join(const std::shared_ptr<Stream>& stream, const std::vector<Node*>& after) {
    if (!stream->capture) {
        stream->capture.set(origin->capture.get());
        streams.push_back(stream);
    }
    auto& waits = last[stream.get()];
    for (auto* n : after)
        if (std::find(waits.begin(), waits.end(), n) == waits.end()) waits.push_back(n);
}

}  // namespace warpwright::cudart
