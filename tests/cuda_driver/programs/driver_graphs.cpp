// Graphs of the driver's program: nodes of all types, and graphs that kernels launch.
#include <string.h>

#include "driver_program.hpp"

static void conditional_node(CUgraph graph) {
    CUgraphNode node;
    CUgraphNodeParams made, p;
    memset(&made, 0, sizeof made);
    made.type = cudaGraphNodeTypeConditional;
    OK(cuGraphConditionalHandleCreate(&made.conditional.handle, graph, 0, 0, 0));
    made.conditional.type = cudaGraphCondTypeWhile, made.conditional.size = 1;
    OK(cuGraphAddNode(&node, graph, 0, 0, 0, &made));
    OK(cuGraphNodeGetParams(node, &p));
    SAME(p.type, cudaGraphNodeTypeConditional);
    SAME(p.conditional.handle, made.conditional.handle);
    SAME(p.conditional.type, cudaGraphCondTypeWhile);
    SAME(p.conditional.size, 1);
    SAME(p.conditional.phGraph_out[0], made.conditional.phGraph_out[0]);
    // A node of the body may have a handle of the graph around it; one of another graph it may not.
    CUgraph other, body = made.conditional.phGraph_out[0];
    OK(cuGraphCreate(&other, 0));
    made.conditional.type = cudaGraphCondTypeIf;
    OK(cuGraphConditionalHandleCreate(&made.conditional.handle, other, 0, 0, 0));
    SAME(cuGraphAddNode(&node, body, 0, 0, 0, &made), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphConditionalHandleCreate(&made.conditional.handle, graph, 0, 0, 0));
    OK(cuGraphAddNode(&node, body, 0, 0, 0, &made));
    OK(cuGraphDestroy(other));
    // Nothing cannot be allocated.
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemAlloc;
    SAME(cuGraphAddNode(&node, body, 0, 0, 0, &p), CUDA_ERROR_INVALID_VALUE);
}

static void any_nodes(CUmodule module) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode fill, add, copy;
    CUdeviceptr data;
    unsigned n = kN;
    int back[kN] = {0};
    OK(cuMemAlloc(&data, sizeof back));
    OK(cuGraphCreate(&graph, 0));
    CUgraphNodeParams p;
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemset;
    p.memset.dst = bias_of(module), p.memset.value = 11, p.memset.elementSize = 4, p.memset.width = 1,
    p.memset.height = 1;
    OK(cuGraphAddNode(&fill, graph, 0, 0, 0, &p));
    memset(&p, 0, sizeof p);
    void* parameters[] = {&data, &n};
    p.type = cudaGraphNodeTypeKernel;
    OK(cuModuleGetFunction(&p.kernel.func, module, "add"));
    p.kernel.gridDimX = 4, p.kernel.gridDimY = p.kernel.gridDimZ = 1, p.kernel.blockDimX = 32;
    p.kernel.blockDimY = p.kernel.blockDimZ = 1, p.kernel.kernelParams = parameters;
    OK(cuGraphAddNode(&add, graph, &fill, 0, 1, &p));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemcpy;
    CUDA_MEMCPY3D* const c = &p.memcpy.copyParams;
    c->srcMemoryType = CU_MEMORYTYPE_DEVICE, c->srcDevice = data, c->dstMemoryType = CU_MEMORYTYPE_HOST,
    c->dstHost = back;
    c->WidthInBytes = sizeof back, c->Height = c->Depth = 1;
    OK(cuGraphAddNode(&copy, graph, &add, 0, 1, &p));
    CUDA_MEMCPY3D same;
    OK(cuGraphMemcpyNodeGetParams(copy, &same));
    SAME(same.WidthInBytes, sizeof back);
    SAME(same.srcDevice, data);
    // One question for nodes of all types.
    OK(cuGraphNodeGetParams(copy, &p));
    SAME(p.type, cudaGraphNodeTypeMemcpy);
    SAME(p.memcpy.copyParams.WidthInBytes, sizeof back);
    OK(cuGraphNodeGetParams(fill, &p));
    SAME(p.type, cudaGraphNodeTypeMemset);
    SAME(p.memset.dst, bias_of(module));
    SAME(p.memset.value, 11);
    OK(cuGraphNodeGetParams(add, &p));
    SAME(p.type, cudaGraphNodeTypeKernel);
    SAME(p.kernel.gridDimX, 4);
    SAME(cuGraphNodeGetParams(add, 0), CUDA_ERROR_INVALID_VALUE);
    conditional_node(graph);
    p.type = (CUgraphNodeType)12;
    SAME(cuGraphAddNode(&copy, graph, 0, 0, 0, &p), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    for (int k = 0; k < kN; ++k) SAME(back[k], k + 11);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(data));
}

static const char* const kLauncher =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 graph, .param .b64 stream);\n"
    ".visible .entry launch(.param .u64 graph, .param .u64 stream, .param .u64 status) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [graph]; ld.param.u64 %rd2, [stream]; ld.param.u64 %rd3, [status];\n"
    "  { .param .b64 g; .param .b64 s; .param .b32 r; st.param.b64 [g], %rd1; st.param.b64 [s], %rd2;\n"
    "    call.uni (r), cudaGraphLaunch, (g, s); ld.param.b32 %r1, [r]; }\n"
    "  st.global.u32 [%rd3], %r1; ret;\n}\n";

// A kernel of a graph launches another graph, which runs after its own.
static void launched_graph(CUmodule module) {
    CUmodule with_launch;
    CUfunction add, start;
    CUgraph inner, outer;
    CUgraphExec inner_exec, plain_exec, outer_exec;
    CUgraphNode node;
    CUdeviceptr data, status;
    unsigned n = 1;
    int back[2];
    OK(cuMemAlloc(&data, 8));
    status = data + 4;
    OK(cuMemsetD32(bias_of(module), 5, 1));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuModuleLoadData(&with_launch, kLauncher));
    OK(cuModuleGetFunction(&start, with_launch, "launch"));
    OK(cuGraphCreate(&inner, 0));
    void* of_add[] = {&data, &n};
    CUgraphNodeParams p;
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.func = add, p.kernel.kernelParams = of_add;
    OK(cuGraphAddNode(&node, inner, 0, 0, 0, &p));
    OK(cuGraphInstantiate(&inner_exec, inner, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cuGraphUpload(inner_exec, 0));
    OK(cuGraphInstantiate(&plain_exec, inner, 0));
    cudaStream_t streams[] = {cudaStreamGraphTailLaunch, cudaStreamGraphFireAndForget,
                              cudaStreamGraphFireAndForgetAsSibling, 0};
    for (int k = 0; k < 5; ++k) {
        // A stream that is none of graphs, and a graph that is not for kernels to launch, are refused.
        CUgraphExec which = k < 4 ? inner_exec : plain_exec;
        void* of_start[] = {&which, &streams[k < 4 ? k : 0], &status};
        p.kernel.func = start, p.kernel.kernelParams = of_start;
        OK(cuGraphCreate(&outer, 0));
        OK(cuGraphAddNode(&node, outer, 0, 0, 0, &p));
        OK(cuGraphInstantiate(&outer_exec, outer, 0));
        OK(cuMemsetD32(data, 0, 2));
        OK(cuGraphLaunch(outer_exec, 0));
        OK(cuGraphLaunch(outer_exec, 0));
        OK(cuMemcpyDtoH(back, data, sizeof back));
        SAME(back[0], k < 3 ? 5 : 0);
        SAME(back[1], k < 3 ? 0 : 1);
        OK(cuGraphExecDestroy(outer_exec));
        OK(cuGraphDestroy(outer));
    }
    OK(cuMemFree(data));
}

int graphs(CUmodule module) {
    any_nodes(module);
    launched_graph(module);
    return failed;
}
