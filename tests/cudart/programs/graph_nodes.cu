// Nodes of graphs: what each tells of itself, and what is changed in it, in the graph and in an executable one; user objects; a graph drawn.
#include <cstring>
#include <string>
#include <unistd.h>
#include "check.h"
__device__ int symbol[4];
__global__ void add(int* p, int n) { atomicAdd(p, n); }
void bump(void* p) { ++*(int*)p; }
void bump_ten(void* p) { *(int*)p += 10; }
int destroyed = 0;
void destroy(void* p) { destroyed += *(int*)p; }
int main() {
    int *device, host[4] = {1, 2, 3, 4}, back[4] = {}, calls = 0, n = 5;
    OK(cudaMalloc(&device, sizeof host));
    OK(cudaMemset(device, 0, sizeof host));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t copy, fill, call, kernel, record, wait, child, found[4];
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, device, host, 8, cudaMemcpyHostToDevice));
    cudaMemsetParams m = {};
    m.dst = device + 2, m.value = 7, m.elementSize = 4, m.width = 2, m.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, &copy, 1, &m));
    cudaHostNodeParams h = {bump, &calls};
    OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &h));
    void* arguments[] = {&device, &n};
    cudaKernelNodeParams k = {};
    k.func = (void*)add, k.gridDim = dim3(1), k.blockDim = dim3(2), k.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
    cudaEvent_t events[2], event;
    OK(cudaEventCreate(&events[0]));
    OK(cudaEventCreate(&events[1]));
    OK(cudaGraphAddEventRecordNode(&record, graph, &kernel, 1, events[0]));
    OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, events[0]));
    cudaGraph_t inner, seen;
    OK(cudaGraphCreate(&inner, 0));
    cudaGraphNode_t inside;
    OK(cudaGraphAddHostNode(&inside, inner, nullptr, 0, &h));
    OK(cudaGraphAddChildGraphNode(&child, graph, &wait, 1, inner));

    // What they tell.
    cudaMemcpy3DParms c;
    OK(cudaGraphMemcpyNodeGetParams(copy, &c));
    CHECK(c.srcPtr.ptr == host && c.dstPtr.ptr == device && c.extent.width == 8 && c.extent.height == 1 && c.kind == cudaMemcpyHostToDevice);
    cudaMemsetParams m2;
    OK(cudaGraphMemsetNodeGetParams(fill, &m2));
    CHECK(m2.dst == device + 2 && m2.value == 7 && m2.elementSize == 4 && m2.width == 2 && m2.height == 1);
    cudaHostNodeParams h2;
    OK(cudaGraphHostNodeGetParams(call, &h2));
    CHECK(h2.fn == bump && h2.userData == &calls);
    OK(cudaGraphEventRecordNodeGetEvent(record, &event));
    CHECK(event == events[0]);
    OK(cudaGraphEventWaitNodeGetEvent(wait, &event));
    CHECK(event == events[0]);
    CHECK(cudaGraphEventWaitNodeGetEvent(record, &event) == cudaErrorInvalidValue);
    CHECK(cudaGraphMemcpyNodeGetParams(fill, &c) == cudaErrorInvalidValue);
    OK(cudaGraphChildGraphNodeGetGraph(child, &seen));
    size_t count = 4;
    OK(cudaGraphGetNodes(seen, found, &count));
    CHECK(count == 1);
    count = 4;
    OK(cudaGraphNodeGetDependentNodes(copy, found, nullptr, &count));
    CHECK(count == 2 && found[0] == fill && found[1] == call);
    cudaKernelNodeAttrValue value = {};
    value.priority = -3;
    OK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &value));
    std::memset(&value, 1, sizeof value);
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &value));
    CHECK(value.priority == -3);
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
    CHECK(value.cooperative == 0);
    value.cooperative = 1;
    OK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
    value.cooperative = 0;
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
    CHECK(value.cooperative == 1);

    cudaGraphNode_t like;
    OK(cudaGraphAddKernelNode(&like, inner, nullptr, 0, &k));
    OK(cudaGraphKernelNodeCopyAttributes(like, kernel));
    value.cooperative = 0;
    OK(cudaGraphKernelNodeGetAttribute(like, cudaLaunchAttributeCooperative, &value));
    CHECK(value.cooperative == 1);
    OK(cudaGraphKernelNodeGetAttribute(like, cudaLaunchAttributePriority, &value));
    CHECK(value.priority == -3);

    cudaGraphExec_t exec;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 + 2 * 5 && back[1] == 2 && back[2] == 7 && back[3] == 7 && calls == 2);

    // Changed in the executable graph: its next launch alone.
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, copy, symbol, host, 16, 0, cudaMemcpyHostToDevice));
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeHost, any.host.fn = bump_ten, any.host.userData = &calls;
    OK(cudaGraphExecNodeSetParams(exec, call, &any));
    cudaGraph_t other;
    OK(cudaGraphCreate(&other, 0));
    h.fn = bump_ten;
    OK(cudaGraphAddHostNode(&inside, other, nullptr, 0, &h));
    OK(cudaGraphExecChildGraphNodeSetParams(exec, child, other));
    OK(cudaGraphAddHostNode(&inside, other, nullptr, 0, &h));
    CHECK(cudaGraphExecChildGraphNodeSetParams(exec, child, other) == cudaErrorInvalidValue);
    OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, events[1]));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(calls == 22);
    OK(cudaMemcpy(back, device, 4, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 11 + 2 * 5);
    OK(cudaMemcpyFromSymbol(back, symbol, 16));
    for (int i = 0; i < 4; ++i) CHECK(back[i] == i + 1);
    // Changed in the graph: what is made of it from now on.
    c.extent.width = 4;
    OK(cudaGraphMemcpyNodeSetParams(copy, &c));
    any = {};
    any.type = cudaGraphNodeTypeMemset;
    any.memset.dst = device + 2, any.memset.value = 9, any.memset.elementSize = 4, any.memset.width = 1, any.memset.height = 1;
    OK(cudaGraphNodeSetParams(fill, &any));
    CHECK(cudaGraphNodeSetParams(copy, &any) == cudaErrorInvalidValue);
    OK(cudaGraphEventWaitNodeSetEvent(wait, events[1]));
    OK(cudaGraphExecDestroy(exec));
    host[0] = 100, host[1] = 200;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(back, device, 16, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 110 && back[1] == 2 && back[2] == 9 && back[3] == 7);

    // An object lives as long as somebody holds it.
    int data = 1;
    cudaUserObject_t object;
    CHECK(cudaUserObjectCreate(&object, &data, destroy, 1, 0) == cudaErrorInvalidValue);
    OK(cudaUserObjectCreate(&object, &data, destroy, 2, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(other, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t holds;
    OK(cudaGraphInstantiate(&holds, other, 0));
    CHECK(cudaGraphReleaseUserObject(other, object, 2) == cudaErrorInvalidValue);
    OK(cudaUserObjectRelease(object, 1));
    OK(cudaGraphDestroy(other));
    CHECK(destroyed == 0);
    OK(cudaGraphExecDestroy(holds));
    CHECK(destroyed == 1);

    const std::string file = "/tmp/ww-graph-" + std::to_string(getpid()) + ".dot";
    OK(cudaGraphDebugDotPrint(graph, file.c_str(), 0));
    std::FILE* in = std::fopen(file.c_str(), "r");
    CHECK(in != nullptr);
    char text[8192];
    text[std::fread(text, 1, sizeof text - 1, in)] = 0;
    std::fclose(in);
    unlink(file.c_str());
    CHECK(std::strstr(text, "MEMCPY") && std::strstr(text, "KERNEL") && std::strstr(text, "EVENT_WAIT") && std::strstr(text, "\"node_0\" -> \"node_1\""));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    std::puts("passed");
}
