// Streams, events, and capture into graphs.
#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return code_of(rt::cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
CUresult cuStreamDestroy_v2(CUstream stream) { return code_of(rt::cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return code_of(rt::cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return code_of(rt::cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return code_of(rt::cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
    if (!callback) return CUDA_ERROR_INVALID_VALUE;
    // The runtime's callback differs in the type of its error alone, and the numbers of those that occur are the same.
    return code_of(rt::cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags) {
    return code_of(rt::cudaStreamAttachMemAsync(stream, at(pointer), bytes, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return code_of(rt::cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) { return code_of(rt::cudaStreamGetFlags(stream, flags)); }
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) { return code_of(rt::cudaStreamGetId(stream, id)); }
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
    return code_of(rt::cudaStreamGetDevice(stream, device));
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
    // Contexts of a device share its streams, so every one is the current context's, if that is of the device.
    int device = 0;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (auto e = rt::cudaStreamGetDevice(stream, &device); e != cudaSuccess) return code_of(e);
    *context = handle_of(current()->device == device ? current() : primary(device));
    return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
    // No stream is of a green context, since none can be made.
    if (!green) return CUDA_ERROR_INVALID_VALUE;
    *green = nullptr;
    return impl::cuStreamGetCtx(stream, context);
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) { return code_of(rt::cudaStreamCopyAttributes(to, from)); }
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
    return code_of(rt::cudaStreamGetAttribute(stream, attribute, value));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
    return code_of(rt::cudaStreamSetAttribute(stream, attribute, value));
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
    return code_of(rt::cudaStreamBeginCapture(stream, mode));
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* edges, size_t count, CUstreamCaptureMode mode) {
    return code_of(rt::cudaStreamBeginCaptureToGraph(stream, graph, dependencies, edges, count, mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return code_of(rt::cudaStreamEndCapture(stream, graph));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return code_of(rt::cudaStreamIsCapturing(stream, status));
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
    return code_of(rt::cudaStreamGetCaptureInfo(stream, status, reinterpret_cast<unsigned long long*>(id), graph,
                                                dependencies, edges, count));
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, size_t* count) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies, const CUgraphEdgeData* edges,
                                              size_t count, unsigned flags) {
    return code_of(rt::cudaStreamUpdateCaptureDependencies(stream, dependencies, edges, count, flags));
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies, size_t count, unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return code_of(rt::cudaThreadExchangeStreamCaptureMode(mode));
}

CUresult cuEventCreate(CUevent* event, unsigned flags) { return code_of(rt::cudaEventCreateWithFlags(event, flags)); }
CUresult cuEventDestroy_v2(CUevent event) { return code_of(rt::cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return code_of(rt::cudaEventRecord(event, stream)); }
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return code_of(rt::cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventQuery(CUevent event) { return code_of(rt::cudaEventQuery(event)); }
CUresult cuEventSynchronize(CUevent event) { return code_of(rt::cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    return code_of(rt::cudaEventElapsedTime(milliseconds, from, to));
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) {
    return cuEventElapsedTime(milliseconds, from, to);
}

}  // namespace warpwright::cuda_driver::impl
