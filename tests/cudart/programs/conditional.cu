// Graphs with conditional nodes: IF with and without else, WHILE, SWITCH; nested, captured, cloned, changed, updated.
#include "check.h"
__global__ void put(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void from(cudaGraphConditionalHandle h, const int* v) { cudaGraphSetConditional(h, *v); }
__global__ void add(int* p, int k) { *p += k; }
__global__ void count_down(cudaGraphConditionalHandle h, int* n) {
    if (--*n <= 0) cudaGraphSetConditional(h, 0);
}

cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void* function, void** arguments) {
    cudaKernelNodeParams k = {};
    k.func = function, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = arguments;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, g, after ? &after : nullptr, after ? 1 : 0, &k));
    return node;
}

cudaGraph_t* conditional(cudaGraph_t g, cudaGraphNode_t after, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, unsigned size,
                         cudaGraphNode_t* node = nullptr) {
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h, p.conditional.type = type, p.conditional.size = size;
    cudaGraphNode_t own;
    OK(cudaGraphAddNode(node ? node : &own, g, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
    return p.conditional.phGraph_out;
}

int *d, got[8];
void clear() { OK(cudaMemset(d, 0, sizeof got)); }
const int* read() {
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

int main() {
    OK(cudaMalloc(&d, sizeof got));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int one = 1, *place;
    void* adding[] = {&place, &one};

    // IF and SWITCH, by a number in memory.
    const int types[] = {cudaGraphCondTypeIf, cudaGraphCondTypeSwitch};
    for (int type : types)
        for (unsigned size = 1; size <= (type == cudaGraphCondTypeIf ? 2 : 3); ++size) {
            cudaGraph_t g;
            cudaGraphConditionalHandle h;
            OK(cudaGraphCreate(&g, 0));
            OK(cudaGraphConditionalHandleCreate(&h, g));
            int* number = d + 7;
            void* setting[] = {&h, &number};
            auto first = kernel(g, nullptr, (void*)from, setting);
            cudaGraphNode_t node;
            auto* bodies = conditional(g, first, h, static_cast<cudaGraphConditionalNodeType>(type), size, &node);
            for (unsigned b = 0; b < size; ++b) place = d + b, kernel(bodies[b], nullptr, (void*)add, adding);
            place = d + 6;
            kernel(g, node, (void*)add, adding);
            cudaGraphExec_t exec;
            OK(cudaGraphInstantiate(&exec, g, 0));
            for (int v = 0; v < 4; ++v) {
                clear();
                OK(cudaMemcpy(number, &v, 4, cudaMemcpyHostToDevice));
                OK(cudaGraphLaunch(exec, s));
                OK(cudaStreamSynchronize(s));
                read();
                const int taken = type == cudaGraphCondTypeIf ? (v ? 0 : 1) : v;
                for (int b = 0; b < 3; ++b) CHECK(got[b] == (b == taken && b < static_cast<int>(size)));
                CHECK(got[6] == 1);  // what stands behind the node runs in any case
            }
            OK(cudaGraphExecDestroy(exec));
            OK(cudaGraphDestroy(g));
        }

    // WHILE with a captured body, an IF in it, and defaults: each launch begins anew.
    cudaGraph_t g;
    cudaGraphConditionalHandle again, odd;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&again, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop;
    auto* body = conditional(g, nullptr, again, cudaGraphCondTypeWhile, 1, &loop);
    OK(cudaStreamBeginCaptureToGraph(s, *body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d + 1, 1);
    count_down<<<1, 1, 0, s>>>(again, d);
    OK(cudaStreamEndCapture(s, nullptr));
    OK(cudaGraphConditionalHandleCreate(&odd, *body, 1, cudaGraphCondAssignDefault));
    place = d + 2;
    kernel(*conditional(*body, nullptr, odd, cudaGraphCondTypeIf, 1), nullptr, (void*)add, adding);
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, g));
    cudaGraphExec_t exec, other;
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphInstantiate(&other, clone, 0));
    cudaGraphExec_t execs[] = {exec, other, exec};
    for (auto x : execs) {
        const int start[3] = {5, 0, 0};
        OK(cudaMemcpy(d, start, 12, cudaMemcpyHostToDevice));
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        read();
        CHECK(got[0] == 0 && got[1] == 5 && got[2] == 5);
    }

    // A body's node changed in what was made from it; launches under way keep what they had.
    cudaGraphNode_t nodes[4];
    size_t count = 4;
    OK(cudaGraphGetNodes(*body, nodes, &count));
    CHECK(count == 3);
    int ten = 10;
    place = d + 1;
    void* more[] = {&place, &ten};
    cudaKernelNodeParams k = {};
    k.func = (void*)add, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = more;
    const int start[3] = {3, 0, 0};
    OK(cudaMemcpy(d, start, 12, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &k));
    OK(cudaStreamSynchronize(s));
    CHECK(read()[1] == 3);
    OK(cudaMemcpy(d, start, 12, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read()[1] == 30);
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, g, &info));
    OK(cudaMemcpy(d, start, 12, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read()[1] == 3);
    cudaGraphNode_t extra;
    OK(cudaGraphAddEmptyNode(&extra, *body, nullptr, 0));
    CHECK(cudaGraphExecUpdate(exec, g, &info) == cudaErrorGraphExecUpdateFailure);

    // Wrong uses.
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = again, p.conditional.type = cudaGraphCondTypeIf, p.conditional.size = 1;
    cudaGraph_t empty;
    OK(cudaGraphCreate(&empty, 0));
    CHECK(cudaGraphAddNode(&extra, empty, nullptr, nullptr, 0, &p) == cudaErrorInvalidValue);  // another graph's
    CHECK(cudaGraphAddNode(&extra, g, nullptr, nullptr, 0, &p) == cudaErrorInvalidValue);      // has a node
    cudaGraphConditionalHandle unused;
    OK(cudaGraphConditionalHandleCreate(&unused, empty));
    p.conditional.handle = unused, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 2;
    CHECK(cudaGraphAddNode(&extra, empty, nullptr, nullptr, 0, &p) == cudaErrorInvalidValue);
    cudaGraphInstantiateParams how = {};
    CHECK(cudaGraphInstantiateWithParams(&exec, empty, &how) == cudaErrorInvalidValue);
    CHECK(how.result_out == cudaGraphInstantiateConditionalHandleUnused);
    cudaGetLastError();
    put<<<1, 1>>>(again, 1);  // in no graph
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    std::printf("passed\n");
}
