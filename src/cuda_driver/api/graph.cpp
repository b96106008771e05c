// Graphs: the runtime's, whose functions take the same parameters.
#include "cuda_driver/api/api.hpp"

namespace warpwright::cuda_driver::impl {

// Here the node that failed has no name: the result alone says that the structure is not valid.
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, size_t size) {
    if (node) *node = nullptr;
    if (log && size) *log = '\0';
    return code_of(rt::cudaGraphInstantiate(exec, graph, 0));
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) { return code_of(rt::cudaGraphCreate(graph, flags)); }
CUresult cuGraphDestroy(CUgraph graph) { return code_of(rt::cudaGraphDestroy(graph)); }
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) { return code_of(rt::cudaGraphClone(clone, graph)); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    return code_of(rt::cudaGraphInstantiate(exec, graph, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
    return code_of(rt::cudaGraphInstantiateWithParams(exec, graph, p));
}
CUresult cuGraphExecDestroy(CUgraphExec exec) { return code_of(rt::cudaGraphExecDestroy(exec)); }
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
    return code_of(rt::cudaGraphExecGetFlags(exec, reinterpret_cast<unsigned long long*>(flags)));
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { return code_of(rt::cudaGraphLaunch(exec, stream)); }
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { return code_of(rt::cudaGraphUpload(exec, stream)); }
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
    return code_of(rt::cudaGraphExecUpdate(exec, graph, info));
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                            const CUDA_HOST_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphAddHostNode(node, graph, after, count, p));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphHostNodeGetParams(node, p));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphHostNodeSetParams(node, p));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphExecHostNodeSetParams(exec, node, p));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                  CUgraph child) {
    return code_of(rt::cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
    return code_of(rt::cudaGraphChildGraphNodeGetGraph(node, graph));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
    return code_of(rt::cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return code_of(rt::cudaGraphAddEmptyNode(node, graph, after, count));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                   CUevent event) {
    return code_of(rt::cudaGraphAddEventRecordNode(node, graph, after, count, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                 CUevent event) {
    return code_of(rt::cudaGraphAddEventWaitNode(node, graph, after, count, event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
    return code_of(rt::cudaGraphEventRecordNodeGetEvent(node, event));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    return code_of(rt::cudaGraphEventRecordNodeSetEvent(node, event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
    return code_of(rt::cudaGraphEventWaitNodeGetEvent(node, event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    return code_of(rt::cudaGraphEventWaitNodeSetEvent(node, event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return code_of(rt::cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return code_of(rt::cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}
CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphAddMemAllocNode(node, graph, after, count, p));
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* p) {
    return code_of(rt::cudaGraphMemAllocNodeGetParams(node, p));
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                               CUdeviceptr pointer) {
    return code_of(rt::cudaGraphAddMemFreeNode(node, graph, after, count, at(pointer)));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* pointer) {
    return code_of(rt::cudaGraphMemFreeNodeGetParams(node, pointer));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return code_of(rt::cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return code_of(rt::cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
    return code_of(rt::cudaGraphGetEdges(graph, from, to, nullptr, count));
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count) {
    return code_of(rt::cudaGraphGetEdges(graph, from, to, edges, count));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
    return code_of(rt::cudaGraphNodeGetDependencies(node, nodes, nullptr, count));
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count) {
    return code_of(rt::cudaGraphNodeGetDependencies(node, nodes, edges, count));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
    return code_of(rt::cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count));
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count) {
    return code_of(rt::cudaGraphNodeGetDependentNodes(node, nodes, edges, count));
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
    return code_of(rt::cudaGraphAddDependencies(graph, from, to, nullptr, count));
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, size_t count) {
    return code_of(rt::cudaGraphAddDependencies(graph, from, to, edges, count));
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
    return code_of(rt::cudaGraphRemoveDependencies(graph, from, to, nullptr, count));
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edges, size_t count) {
    return code_of(rt::cudaGraphRemoveDependencies(graph, from, to, edges, count));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    return code_of(rt::cudaGraphNodeGetType(node, type));
}
CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
    return code_of(rt::cudaGraphNodeFindInClone(found, node, clone));
}
CUresult cuGraphDestroyNode(CUgraphNode node) { return code_of(rt::cudaGraphDestroyNode(node)); }
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
    return code_of(rt::cudaGraphNodeSetEnabled(exec, node, enabled));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
    return code_of(rt::cudaGraphNodeGetEnabled(exec, node, enabled));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value) {
    return code_of(rt::cudaGraphKernelNodeGetAttribute(node, attribute, value));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue* value) {
    return code_of(rt::cudaGraphKernelNodeSetAttribute(node, attribute, value));
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    return code_of(rt::cudaGraphKernelNodeCopyAttributes(to, from));
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
    return code_of(rt::cudaGraphDebugDotPrint(graph, path, flags));
}
CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned references, unsigned flags) {
    return code_of(rt::cudaUserObjectCreate(object, data, destroy, references, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    return code_of(rt::cudaUserObjectRetain(object, count));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    return code_of(rt::cudaUserObjectRelease(object, count));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    return code_of(rt::cudaGraphRetainUserObject(graph, object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    return code_of(rt::cudaGraphReleaseUserObject(graph, object, count));
}

}  // namespace warpwright::cuda_driver::impl
