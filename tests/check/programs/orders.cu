// Work of several streams that seems to be ordered. Each part has an order that does not reach what it should; its repaired
// twin's does.
#include <cstdio>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
    #define IF_WRONG(...)
#else
    #define IF_RIGHT(...)
    #define IF_WRONG(...) __VA_ARGS__
#endif
static cudaStream_t a, b, c;
static cudaEvent_t event;
static int* memory(int words) {
    int* p = nullptr;
    cudaMalloc(&p, words * sizeof(int));
    cudaMemset(p, 0, words * sizeof(int));
    cudaDeviceSynchronize();
    return p;
}
static void done(int* p) {
    cudaDeviceSynchronize();
    cudaFree(p);
}

__global__ void first(int* p) { p[threadIdx.x] = 1; }
__global__ void behind(int* p) { p[threadIdx.x] += 1; }  // FINDING race-streams
static void the_event_is_of_the_waiting_stream() {
    int* p = memory(64);
    first<<<1, 64, 0, a>>>(p);
    cudaEventRecord(event, IF_RIGHT(a) IF_WRONG(b));
    cudaStreamWaitEvent(b, event, 0);
    behind<<<1, 64, 0, b>>>(p);
    done(p);
}

__global__ void left(int* p) { p[threadIdx.x] = 2; }
__global__ void after_left(int* p) { p[threadIdx.x] += 2; }  // FINDING race-streams
static void the_event_was_recorded_again() {
    int* p = memory(64);
    left<<<1, 64, 0, a>>>(p);
    cudaEventRecord(event, a);
    IF_RIGHT(cudaStreamWaitEvent(c, event, 0);)
    cudaEventRecord(event, c);
    cudaStreamWaitEvent(b, event, 0);
    after_left<<<1, 64, 0, b>>>(p);
    done(p);
}

static void columns_that_meet() {
    int *p = memory(32 * 32), *from = memory(32 * 32);
    cudaMemcpy2DAsync(p, 128, from, 128, 40, 32, cudaMemcpyDeviceToDevice, a);
    cudaMemcpy2DAsync(p + 10 IF_WRONG(-1), 128, from, 128, 40, 32, cudaMemcpyDeviceToDevice, b);  // FINDING race-streams
    done(p), done(from);
}

__global__ void one(int* p) { p[threadIdx.x] = 1; }
__global__ void two(int* p) { p[threadIdx.x] = 2; }
static void the_host_has_waited_for_the_first_of_two() {
    int *p = memory(64), *to = memory(64);
    one<<<1, 64, 0, a>>>(p);
    IF_WRONG(cudaEventRecord(event, a);)
    two<<<1, 64, 0, a>>>(p);
    IF_RIGHT(cudaEventRecord(event, a);)
    cudaEventSynchronize(event);
    cudaMemcpyAsync(to, p, 256, cudaMemcpyDeviceToDevice, b);  // FINDING race-streams
    done(p), done(to);
}

__global__ void in_child(int* p) { p[threadIdx.x] += 1; }  // FINDING race-streams
static void two_children_of_a_graph() {
    int* p = memory(64);
    cudaGraph_t child, graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[2];
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    in_child<<<1, 64, 0, a>>>(p);
    cudaStreamEndCapture(a, &child);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddChildGraphNode(&nodes[0], graph, nullptr, 0, child);
    cudaGraphAddChildGraphNode(&nodes[1], graph, nodes, IF_RIGHT(1) IF_WRONG(0), child);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaGraphDestroy(child);
    done(p);
}

int main() {
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    the_event_is_of_the_waiting_stream(), the_event_was_recorded_again(), columns_that_meet();
    the_host_has_waited_for_the_first_of_two(), two_children_of_a_graph();
    cudaEventDestroy(event), cudaStreamDestroy(a), cudaStreamDestroy(b), cudaStreamDestroy(c);
    return cudaDeviceSynchronize() != cudaSuccess;
}
