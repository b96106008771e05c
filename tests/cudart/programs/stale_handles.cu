// Handles that are stale, of nothing, or of another kind: each is an error, and nothing is read through it. Host
// functions that would wait for themselves are refused.
#include <cstdint>
#include <vector>
#include "check.h"

#define REFUSED(call) CHECK((call) != cudaSuccess)

template <class Handle>
static std::vector<Handle> wrong(Handle stale) {
    std::vector<Handle> all{stale};
    for (std::uintptr_t bits : {std::uintptr_t{0x77}, std::uintptr_t{0x1000}, reinterpret_cast<std::uintptr_t>(&stale),
                                reinterpret_cast<std::uintptr_t>(stale) + 16, ~std::uintptr_t{0}})
        all.push_back(reinterpret_cast<Handle>(bits));
    return all;
}

static void pools() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool, other;
    void* memory;
    OK(cudaMemPoolCreate(&pool, &properties));
    OK(cudaMallocFromPoolAsync(&memory, 100, pool, 0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaFreeAsync(memory, 0));
    OK(cudaMemPoolCreate(&other, &properties));
    CHECK(other != pool);
    unsigned long long value;
    cudaMemLocation here = properties.location;
    cudaMemAccessFlags access;
    for (auto p : wrong(pool)) {
        if (p == other) continue;
        REFUSED(cudaMallocFromPoolAsync(&memory, 100, p, 0));
        REFUSED(cudaMemPoolDestroy(p));
        REFUSED(cudaMemPoolTrimTo(p, 0));
        REFUSED(cudaMemPoolGetAttribute(p, cudaMemPoolAttrReleaseThreshold, &value));
        REFUSED(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &value));
        REFUSED(cudaDeviceSetMemPool(0, p));
        REFUSED(cudaMemPoolGetAccess(&access, p, &here));
    }
    OK(cudaMemPoolDestroy(other));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    REFUSED(cudaMemPoolDestroy(pool));
    // Memory that is freed twice in the order of a stream.
    OK(cudaMallocAsync(&memory, 100, 0));
    OK(cudaLaunchHostFunc(0, [](void*) {}, nullptr));
    OK(cudaFreeAsync(memory, 0));
    REFUSED(cudaFreeAsync(memory, 0));
    OK(cudaDeviceSynchronize());
    (void)cudaGetLastError();
}

static void user_objects() {
    static int destroyed = 0;
    const cudaHostFn_t destroy = [](void* data) { destroyed += *static_cast<int*>(data); };
    int one = 1;
    cudaUserObject_t object;
    cudaGraph_t graph;
    OK(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    REFUSED(cudaUserObjectRelease(object, 5));
    CHECK(destroyed == 0);
    REFUSED(cudaUserObjectRetain(object, 0xffffffffu));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    REFUSED(cudaUserObjectRelease(object, 1));
    REFUSED(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    REFUSED(cudaGraphReleaseUserObject(graph, object, 2));
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    CHECK(destroyed == 1);
    for (auto o : wrong(object)) {
        REFUSED(cudaUserObjectRetain(o, 1));
        REFUSED(cudaUserObjectRelease(o, 1));
        REFUSED(cudaGraphRetainUserObject(graph, o, 1, 0));
        REFUSED(cudaGraphReleaseUserObject(graph, o, 1));
    }
    OK(cudaUserObjectCreate(&object, &one, destroy, 2, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, 0));
    OK(cudaUserObjectRelease(object, 2));
    CHECK(destroyed == 1);
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 2);
    CHECK(cudaGraphDestroy(graph) != cudaSuccess);
    (void)cudaGetLastError();
}

static void streams_events_and_graphs() {
    cudaStream_t stream, next;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamCreate(&next));
    CHECK(next != stream);
    for (auto s : wrong(stream)) {
        if (s == next) continue;
        REFUSED(cudaStreamDestroy(s));
        REFUSED(cudaStreamSynchronize(s));
        REFUSED(cudaMemsetAsync(nullptr, 0, 0, s));
    }
    cudaEvent_t event, later;
    OK(cudaEventCreate(&event));
    OK(cudaEventDestroy(event));
    OK(cudaEventCreate(&later));
    CHECK(later != event);
    for (auto e : wrong(event)) {
        if (e == later) continue;
        REFUSED(cudaEventDestroy(e));
        REFUSED(cudaEventRecord(e, next));
        REFUSED(cudaEventSynchronize(e));
        REFUSED(cudaStreamWaitEvent(next, e, 0));
    }
    cudaGraph_t graph, second;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphCreate(&second, 0));
    CHECK(second != graph);
    cudaGraphNodeType type;
    size_t count = 0;
    for (auto n : wrong(node)) {
        REFUSED(cudaGraphNodeGetType(n, &type));
        REFUSED(cudaGraphAddEmptyNode(&node, second, &n, 1));
        REFUSED(cudaGraphDestroyNode(n));
    }
    for (auto g : wrong(graph)) {
        if (g == second) continue;
        REFUSED(cudaGraphDestroy(g));
        REFUSED(cudaGraphGetNodes(g, nullptr, &count));
        REFUSED(cudaGraphInstantiate(&exec, g, 0));
    }
    REFUSED(cudaGraphExecDestroy(exec));
    REFUSED(cudaGraphLaunch(exec, next));
    OK(cudaGraphDestroy(second));
    OK(cudaEventDestroy(later));
    OK(cudaStreamDestroy(next));
    (void)cudaGetLastError();
}

static void arrays() {
    const auto format = cudaCreateChannelDesc<float>();
    cudaArray_t array, next, level;
    cudaMipmappedArray_t mipmap, later;
    cudaExtent extent;
    float values[16] = {};
    OK(cudaMallocArray(&array, &format, 4, 4));
    OK(cudaFreeArray(array));
    OK(cudaMallocArray(&next, &format, 4, 4));
    CHECK(next != array);
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    for (auto a : wrong(array)) {
        if (a == next) continue;
        REFUSED(cudaFreeArray(a));
        REFUSED(cudaArrayGetInfo(nullptr, &extent, nullptr, a));
        REFUSED(cudaMemcpy2DToArray(a, 0, 0, values, 16, 16, 4, cudaMemcpyHostToDevice));
        resource.resType = cudaResourceTypeArray, resource.res.array.array = a;
        REFUSED(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    }
    OK(cudaMallocMipmappedArray(&mipmap, &format, {8, 8, 0}, 3));
    OK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    CHECK(extent.width == 4);
    REFUSED(cudaFreeArray(level));
    OK(cudaFreeMipmappedArray(mipmap));
    OK(cudaMallocMipmappedArray(&later, &format, {8, 8, 0}, 3));
    REFUSED(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    for (auto m : wrong(mipmap)) {
        if (m == later) continue;
        REFUSED(cudaFreeMipmappedArray(m));
        REFUSED(cudaGetMipmappedArrayLevel(&level, m, 0));
    }
    OK(cudaFreeMipmappedArray(later));
    OK(cudaFreeArray(next));
    (void)cudaGetLastError();
}

/// A copy of a copy whose first graph is gone: whoever looks for a node in it is not led there.
static void copies_of_graphs() {
    cudaGraph_t first, copy, other;
    cudaGraphNode_t node, foreign;
    cudaGraphExec_t executable;
    OK(cudaGraphCreate(&first, 0));
    OK(cudaGraphAddEmptyNode(&node, first, nullptr, 0));
    OK(cudaGraphClone(&copy, first));
    OK(cudaGraphInstantiate(&executable, copy, 0));
    OK(cudaGraphDestroy(first));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddEmptyNode(&foreign, other, nullptr, 0));
    CHECK(cudaGraphNodeSetEnabled(executable, foreign, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphNodeSetEnabled(executable, node, 0) == cudaErrorInvalidValue);
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(other));
}

static void host_functions() {
    static cudaError_t answers[7];
    static cudaArray_t array;
    static cudaStream_t stream;
    static cudaEvent_t event;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    const auto format = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &format, 16));
    OK(cudaLaunchHostFunc(
        stream,
        [](void*) {
            answers[0] = cudaDeviceSynchronize();
            answers[1] = cudaStreamSynchronize(stream);
            answers[2] = cudaEventSynchronize(event);
            void* memory;
            answers[3] = cudaMalloc(&memory, 100);
            answers[4] = cudaDeviceReset();
            answers[5] = cudaFreeArray(array);
            answers[6] = cudaIpcCloseMemHandle(&memory);
        },
        nullptr));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamSynchronize(stream));
    for (auto answer : answers) CHECK(answer == cudaErrorNotPermitted);
    OK(cudaDeviceSynchronize());
    OK(cudaFreeArray(array));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
}

/// Where a function writes a result to.
static void no_place_for_results() {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    CHECK(cudaStreamGetDevice(stream, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, nullptr) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaStreamDestroy(stream));
}

int main() {
    pools();
    no_place_for_results();
    user_objects();
    streams_events_and_graphs();
    arrays();
    copies_of_graphs();
    host_functions();
    std::puts("passed");
}
