// Work of different streams on the same memory. Each part forgets an order of its own, which its repaired twin has.
#include <cstdio>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
    #define IF_WRONG(...)
#else
    #define IF_RIGHT(...)
    #define IF_WRONG(...) __VA_ARGS__
#endif
static cudaStream_t a, b, blocking;
static cudaEvent_t event;
// Lets stream `to` wait for all that stream `from` has so far.
static void order(cudaStream_t from, cudaStream_t to) {
    cudaEventRecord(event, from);
    cudaStreamWaitEvent(to, event, 0);
}
static int* memory(int words) {
    int* p = nullptr;
    cudaMalloc(&p, words * sizeof(int));
    cudaMemset(p, 0, words * sizeof(int));
    cudaDeviceSynchronize();
    return p;
}
static void done(int* p) { cudaFree(p); }

__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x]; }  // FINDING race-streams
static void no_event() {
    int *p = memory(64), *out = memory(64);
    produce<<<1, 64, 0, a>>>(p);
    IF_RIGHT(order(a, b);)
    consume<<<1, 64, 0, b>>>(p, out);
    cudaDeviceSynchronize();
    done(p), done(out);
}

__global__ void one(int* p) { p[threadIdx.x] = 1; }
__global__ void two(int* p) { p[threadIdx.x] = 2; }  // FINDING race-streams
static void event_too_early() {
    int* p = memory(64);
    IF_WRONG(cudaEventRecord(event, a);)
    one<<<1, 64, 0, a>>>(p);
    IF_RIGHT(cudaEventRecord(event, a);)
    cudaStreamWaitEvent(b, event, 0);
    two<<<1, 64, 0, b>>>(p);
    cudaDeviceSynchronize();
    done(p);
}

__global__ void slow(int* p) { p[threadIdx.x] += 3; }
static void copy_of_results() {
    int *p = memory(64), *host = nullptr;
    cudaMallocHost(&host, 256);
    slow<<<1, 64, 0, a>>>(p);
    IF_RIGHT(order(a, b);)
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, b);  // FINDING race-streams
    cudaDeviceSynchronize();
    done(p), cudaFreeHost(host);
}

__global__ void sum(const int* p, int* out) { atomicAdd(out, p[threadIdx.x]); }
static void upload_while_read() {
    int *p = memory(64), *out = memory(1), *host = nullptr;
    cudaMallocHost(&host, 256);
    for (int i = 0; i < 64; ++i) host[i] = i;
    sum<<<1, 64, 0, a>>>(p, out);
    IF_RIGHT(cudaStreamSynchronize(a);) IF_WRONG(cudaStreamSynchronize(b);)
    cudaMemcpyAsync(p, host, 256, cudaMemcpyHostToDevice, b);  // FINDING race-streams
    cudaDeviceSynchronize();
    done(p), done(out), cudaFreeHost(host);
}

__global__ void add_one(int* p) { p[threadIdx.x] += 1; }
static void fill_beside() {
    int* p = memory(64);
    add_one<<<1, 64, 0, a>>>(p);
    cudaMemsetAsync(p + IF_RIGHT(64 - 64) IF_WRONG(63), 0, 4, IF_RIGHT(a) IF_WRONG(b));  // FINDING race-streams
    cudaDeviceSynchronize();
    done(p);
}

__global__ void legacy(int* p) { p[threadIdx.x] = 5; }
__global__ void of_stream(int* p) { p[threadIdx.x] *= 2; }  // FINDING race-streams
static void default_stream() {
    int* p = memory(64);
    legacy<<<1, 64>>>(p);
    of_stream<<<1, 64, 0, IF_RIGHT(blocking) IF_WRONG(b)>>>(p);
    cudaDeviceSynchronize();
    done(p);
}

__global__ void left(int* p) { p[threadIdx.x] = 1; }
__global__ void right(int* p) { p[threadIdx.x] = 2; }  // FINDING race-streams
static void halves_that_meet() {
    int* p = memory(100);
    left<<<1, IF_RIGHT(50) IF_WRONG(51), 0, a>>>(p);
    right<<<1, 50, 0, b>>>(p + 50);
    cudaDeviceSynchronize();
    done(p);
}

__global__ void stage(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }
static void one_buffer_of_the_host() {
    int *p = memory(64), *q = memory(64), *host = nullptr;
    cudaMallocHost(&host, 256);
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, a);
    IF_RIGHT(order(a, b);)
    cudaMemcpyAsync(q, host, 256, cudaMemcpyHostToDevice, b);  // FINDING race-streams
    cudaDeviceSynchronize();
    stage<<<1, 64>>>(q, p);
    done(p), done(q), cudaFreeHost(host);
}

__global__ void first_node(int* p) { p[threadIdx.x] = 1; }
__global__ void second_node(int* p) { p[threadIdx.x] += 1; }  // FINDING race-streams
static void graph() {
    int* p = memory(64);
    void* arguments[] = {&p};
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[2];
    cudaKernelNodeParams k = {};
    k.func = (void*)first_node, k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = arguments;
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&nodes[0], g, nullptr, 0, &k);
    k.func = (void*)second_node;
    cudaGraphAddKernelNode(&nodes[1], g, nodes, IF_RIGHT(1) IF_WRONG(0), &k);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, a);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(g);
    done(p);
}

__global__ void node(int* p) { p[threadIdx.x] = 1; }
__global__ void beside(int* p) { p[threadIdx.x] = 2; }  // FINDING race-streams
static void graph_and_stream() {
    int* p = memory(64);
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    node<<<1, 64, 0, a>>>(p);
    cudaStreamEndCapture(a, &g);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, a);
    IF_RIGHT(order(a, b);)
    beside<<<1, 64, 0, b>>>(p);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(g);
    done(p);
}

__global__ void main_branch(int* p) { p[threadIdx.x] = 1; }
__global__ void side_branch(int* p) { p[threadIdx.x] = 2; }  // FINDING race-streams
static void branches_of_a_graph() {
    int* p = memory(64);
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    IF_WRONG(order(a, b);)
    main_branch<<<1, 64, 0, a>>>(p);
    IF_RIGHT(order(a, b);)
    side_branch<<<1, 64, 0, b>>>(p);
    order(b, a);
    cudaStreamEndCapture(a, &g);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(g);
    done(p);
}

__global__ void to_be_copied(int* p) { p[threadIdx.x] = 1; }  // FINDING race-streams
static void copy_node() {
    int *p = memory(64), *q = memory(64);
    void* arguments[] = {&p};
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[2];
    cudaKernelNodeParams k = {};
    k.func = (void*)to_be_copied, k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = arguments;
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&nodes[0], g, nullptr, 0, &k);
    cudaGraphAddMemcpyNode1D(&nodes[1], g, nodes, IF_RIGHT(1) IF_WRONG(0), q, p, 256, cudaMemcpyDeviceToDevice);
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(g);
    done(p), done(q);
}

__global__ void in_two_graphs(int* p) { p[threadIdx.x] += 1; }  // FINDING race-streams
static void two_graphs() {
    int* p = memory(64);
    cudaGraph_t g;
    cudaGraphExec_t exec[2];
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    in_two_graphs<<<1, 64, 0, a>>>(p);
    cudaStreamEndCapture(a, &g);
    for (auto& e : exec) cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(exec[0], a);
    IF_RIGHT(order(a, b);)
    cudaGraphLaunch(exec[1], b);
    cudaDeviceSynchronize();
    for (auto& e : exec) cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    done(p);
}

__global__ void of_default(int* p) { p[threadIdx.x] += 1; }
static void fill_beside_default() {
    int* p = memory(64);
    of_default<<<1, 64>>>(p);
    cudaMemsetAsync(p, 1, 256, IF_RIGHT(blocking) IF_WRONG(b));  // FINDING race-streams
    cudaDeviceSynchronize();
    done(p);
}

__global__ void of_pool(int* p) { p[threadIdx.x] = 1; }  // FINDING use-before-allocation
static void event_before_pool() {
    int* p = nullptr;
    IF_WRONG(cudaEventRecord(event, a);)
    cudaMallocAsync((void**)&p, 256, a);
    IF_RIGHT(cudaEventRecord(event, a);)
    cudaStreamWaitEvent(b, event, 0);
    of_pool<<<1, 64, 0, b>>>(p);
    order(b, a);
    cudaFreeAsync(p, a);
    cudaDeviceSynchronize();
}

__global__ void early(int* p) { p[threadIdx.x] = 1; }  // FINDING use-before-allocation
static void used_before() {
    int* p = nullptr;
    cudaMallocAsync((void**)&p, 256, a);
    IF_RIGHT(order(a, b);)
    early<<<1, 64, 0, b>>>(p);
    cudaDeviceSynchronize();
    cudaFreeAsync(p, a);
    cudaDeviceSynchronize();
}

__global__ void late(int* p) { p[threadIdx.x] = 1; }
static void freed_before() {
    int* p = nullptr;
    cudaMallocAsync((void**)&p, 256, a);
    late<<<1, 64, 0, a>>>(p);
    IF_RIGHT(order(a, b);)
    cudaFreeAsync(p, b);  // FINDING free-before-end
    cudaDeviceSynchronize();
}

static void freed_before_made() {
    int* p = nullptr;
    cudaMallocAsync((void**)&p, 256, a);
    IF_RIGHT(cudaStreamSynchronize(a);)
    cudaFreeAsync(p, b);  // FINDING free-before-end
    cudaDeviceSynchronize();
}

__global__ void after(int* p) { p[threadIdx.x] = 1; }  // FINDING use-after-free
static void used_after() {
    int* p = nullptr;
    cudaMallocAsync((void**)&p, 256, a);
    IF_RIGHT(after<<<1, 64, 0, a>>>(p);)
    cudaFreeAsync(p, a);
    IF_WRONG(order(a, b); after<<<1, 64, 0, b>>>(p);)
    cudaDeviceSynchronize();
}

static void source_reused() {
    int *p = memory(64), *q = memory(64), *host = nullptr;
    cudaMallocHost(&host, 256);
    for (int i = 0; i < 64; ++i) host[i] = i;
    cudaMemcpyAsync(p, host, 256, cudaMemcpyHostToDevice, a);  // FINDING race-host
    IF_RIGHT(cudaEventRecord(event, a); cudaEventSynchronize(event);)
    for (int i = 0; i < 64; ++i) host[i] = -i;
    cudaMemcpyAsync(q, host, 256, cudaMemcpyHostToDevice, a);
    cudaStreamSynchronize(a);
    for (int i = 0; i < 64; ++i) host[i] = 0;
    done(p), done(q), cudaFreeHost(host);
}

__attribute__((noinline)) static void result_read_too_early() {
    int *p = memory(1024), *host = nullptr, sum = 0;
    cudaMallocHost(&host, 4096);
    cudaMemcpyAsync(host, p, 4096, cudaMemcpyDeviceToHost, a);
    IF_RIGHT(cudaStreamSynchronize(a);)
    for (int i = 0; i < 1024; ++i)
        sum += static_cast<volatile int*>(host)[i];  // FINDING race-host
    cudaStreamSynchronize(a);
    std::printf("%d %d\n", sum, host[0]);
    done(p), cudaFreeHost(host);
}

// All of this is in order, in ways of its own, with and without RIGHT.
__global__ void again(int* p) { p[threadIdx.x] += 1; }
__global__ void count(int* p) { atomicAdd(p, 1); }
static void in_order() {
    int *p = memory(128), *host = nullptr;
    cudaMallocHost(&host, 256);
    for (int k = 0; k < 3; ++k) {
        again<<<1, 64, 0, a>>>(p);
        again<<<1, 64, 0, b>>>(p + 64);
        order(a, b);
        again<<<1, 64, 0, b>>>(p);
        order(b, a);
    }
    count<<<1, 64, 0, a>>>(p + 127);
    order(a, blocking);
    count<<<1, 64, 0, blocking>>>(p);
    again<<<1, 64>>>(p);  // behind all blocking streams
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, blocking);
    while (cudaStreamQuery(blocking) == cudaErrorNotReady) {}
    again<<<1, 64, 0, a>>>(p);
    cudaLaunchHostFunc(a, [](void* told) { *static_cast<volatile int*>(told) = 1; }, &host[63]);
    while (static_cast<volatile int*>(host)[63] != 1) {}
    again<<<1, 64, 0, b>>>(p);
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, b);
    cudaEventRecord(event, b);
    cudaEventSynchronize(event);
    // Both count in the same place, which is no race; and both read the same memory.
    count<<<1, 64, 0, a>>>(p);
    count<<<1, 64, 0, b>>>(p);
    cudaStream_t gone;
    cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking);
    again<<<1, 64, 0, gone>>>(p + 64);
    cudaStreamDestroy(gone);
    cudaDeviceSynchronize();
    again<<<1, 64, 0, b>>>(p + 64);
    cudaDeviceSynchronize();
    std::printf("%d\n", host[0]);
    done(p), cudaFreeHost(host);
}

int main() {
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    no_event(), event_too_early(), copy_of_results(), upload_while_read(), fill_beside(), default_stream();
    halves_that_meet(), one_buffer_of_the_host(), graph(), graph_and_stream();
    branches_of_a_graph(), copy_node(), two_graphs(), fill_beside_default(), event_before_pool();
    used_before(), freed_before(), freed_before_made(), used_after(), source_reused();
    result_read_too_early();
    in_order();
    cudaEventDestroy(event), cudaStreamDestroy(a), cudaStreamDestroy(b), cudaStreamDestroy(blocking);
    return cudaDeviceSynchronize() != cudaSuccess;
}
