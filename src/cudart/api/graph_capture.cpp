// Streams captured into graphs.
#include <atomic>
#include <set>
#include <thread>
#include <utility>

#include "cudart/api/api.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graph_detail.hpp"

namespace warpwright::cudart::impl {
namespace {

cudaError_t begin(cudaStream_t handle, std::shared_ptr<Graph> graph, bool given, std::vector<Node*> after,
                  cudaStreamCaptureMode mode) {
    static std::atomic<unsigned long long> ids{1};
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->graph = std::move(graph), capture->origin = stream, capture->mode = mode, capture->id = ids++;
    capture->into_given = given;
    capture->streams = {stream};
    capture->last[stream.get()] = std::move(after);
    stream->capture.set(capture);
    capture_rules::begin(capture);
    return cudaSuccess;
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
    const auto capture = stream.capture.get();
    if (!capture) return cudaStreamCaptureStatusNone;
    return capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin(stream, std::make_shared<Graph>(), false, {}, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
    auto g = graph_detail::graph(graph);
    if (!g) return cudaErrorInvalidValue;
    std::vector<Node*> after;
    if (!nodes_of(dependencies, count, after, g.get())) return cudaErrorInvalidValue;
    return begin(stream, g, true, std::move(after), mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    auto capture = stream->capture.get();
    if (!capture) return cudaErrorIllegalState;
    // A program that captures into its own graph has it already.
    cudaGraph_t own = nullptr;
    if (!graph && capture->into_given) graph = &own;
    if (!graph) return cudaErrorInvalidValue;
    *graph = nullptr;
    if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return cudaErrorStreamCaptureWrongThread;
    if (capture->invalid) {
        capture_rules::end(capture);
        return cudaErrorStreamCaptureInvalidated;
    }
    // The last work of the other streams must have been waited for by the stream in which the capture began.
    std::set<const Node*> reached;
    std::vector<Node*> todo = capture->last[stream.get()];
    while (!todo.empty()) {
        auto* n = todo.back();
        todo.pop_back();
        if (reached.insert(n).second) todo.insert(todo.end(), n->after.begin(), n->after.end());
    }
    bool joined = true;
    for (const auto& s : capture->streams)
        for (auto* n : capture->last[s.get()]) joined &= reached.count(n) != 0;
    capture_rules::end(capture);
    if (!joined) return cudaErrorStreamCaptureUnjoined;
    *graph = capture->into_given ? capture->graph->handle : graph_detail::handle(capture->graph);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !status) return cudaErrorInvalidResourceHandle;
    if (stream->legacy && capture_rules::has_blocking_capture()) return cudaErrorStreamCaptureImplicit;
    *status = status_of(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !status) return cudaErrorInvalidResourceHandle;
    if (stream->legacy && capture_rules::has_blocking_capture()) return cudaErrorStreamCaptureImplicit;
    *status = status_of(*stream);
    if (edges) *edges = nullptr;
    if (count) *count = 0;
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    const auto capture = stream->capture.get();
    if (!capture) return *status = cudaStreamCaptureStatusNone, cudaSuccess;
    auto& c = *capture;
    if (id) *id = c.id;
    if (graph) *graph = c.into_given ? c.graph->handle : graph_detail::handle(c.graph);
    c.handles.clear();
    for (auto* n : c.last[stream.get()]) c.handles.push_back(handle_of(n));
    if (dependencies) *dependencies = c.handles.data();
    if (count) *count = c.handles.size();
    c.edges.assign(c.handles.size(), cudaGraphEdgeData{});
    if (edges) *edges = c.edges.data();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count, unsigned flags) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const auto capture = stream->capture.get();
    if (!capture) return cudaErrorIllegalState;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    std::vector<Node*> nodes;
    if (!nodes_of(dependencies, count, nodes)) return cudaErrorInvalidValue;
    auto& last = capture->last[stream.get()];
    if (flags == cudaStreamSetCaptureDependencies) last.clear();
    last.insert(last.end(), nodes.begin(), nodes.end());
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    std::swap(*mode, thread_state().capture_mode);
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
