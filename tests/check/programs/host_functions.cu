// Functions of the host's in streams: they are work of their stream, and what they touch may be another stream's.
#include <cstdio>
#include <numeric>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
#else
    #define IF_RIGHT(...)
#endif
static cudaStream_t a, b;
static cudaEvent_t event;
static void order(cudaStream_t from, cudaStream_t to) {
    cudaEventRecord(event, from);
    cudaStreamWaitEvent(to, event, 0);
}
static int* shared_memory(bool managed) {
    int* p = nullptr;
    managed ? cudaMallocManaged(&p, 256) : cudaMallocHost(&p, 256);
    for (int i = 0; i < 64; ++i) p[i] = i;
    return p;
}

static void read_first(void* data) {
    std::printf("%d\n", static_cast<int*>(data)[0] >= 0);  // FINDING race-streams
}
__global__ void write(int* p) { p[threadIdx.x] = 1; }
static void a_kernel_writes_what_it_reads() {
    int* p = shared_memory(true);
    write<<<1, 64, 0, a>>>(p);
    IF_RIGHT(order(a, b);)
    cudaLaunchHostFunc(b, read_first, p);
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void fill_in(void* data) {
    auto* p = static_cast<volatile int*>(data);
    p[60] = 3;  // FINDING race-streams
}
__global__ void add_up(const int* p, int* out) { atomicAdd(out, p[threadIdx.x]); }
static void a_kernel_reads_what_it_writes() {
    int *p = shared_memory(false), *out = nullptr;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    cudaDeviceSynchronize();
    add_up<<<1, 64, 0, b>>>(p, out);
    IF_RIGHT(order(b, a);)
    cudaLaunchHostFunc(a, fill_in, p);
    cudaDeviceSynchronize();
    cudaFreeHost(p), cudaFree(out);
}

static void use_result(cudaStream_t, cudaError_t, void* data) {
    std::printf("%d\n", *static_cast<volatile int*>(data));  // FINDING race-streams
}
static void a_copy_writes_what_a_callback_reads() {
    int *p = nullptr, *host = shared_memory(false);
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, a);
    IF_RIGHT(order(a, b);)
    cudaStreamAddCallback(b, use_result, host, 0);
    cudaDeviceSynchronize();
    cudaFree(p), cudaFreeHost(host);
}

static void touch_in_graph(void* data) {
    static_cast<volatile int*>(data)[5] += 1;  // FINDING race-streams
}
__global__ void of_graph(int* p) { p[threadIdx.x] += 1; }
static void nodes_of_a_graph() {
    int* p = shared_memory(true);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t kernel, function;
    cudaGraphCreate(&graph, 0);
    void* arguments[] = {&p};
    cudaKernelNodeParams k = {};
    k.func = reinterpret_cast<void*>(of_graph), k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = arguments;
    cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k);
    cudaHostNodeParams h = {touch_in_graph, p};
    cudaGraphAddHostNode(&function, graph, &kernel, 0 IF_RIGHT(+1), &h);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
    cudaFree(p);
}

// In order, with and without RIGHT: the same stream, another place of the array, a counter that both change by atomics.
static void sum_up(void* data) {
    auto* p = static_cast<int*>(data);
    p[0] = std::accumulate(p + 1, p + 64, 0);
}
static void upper(void* data) { static_cast<volatile int*>(data)[40] = 1; }
__global__ void lower(int* p) { if (threadIdx.x < 32) p[threadIdx.x] = 2; }
static void in_order() {
    int* p = shared_memory(true);
    write<<<1, 64, 0, a>>>(p);
    cudaLaunchHostFunc(a, sum_up, p);
    order(a, b);
    lower<<<1, 64, 0, b>>>(p);
    cudaLaunchHostFunc(a, upper, p);
    cudaDeviceSynchronize();
    std::printf("%d\n", p[0]);
    cudaFree(p);
}

int main() {
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    a_kernel_writes_what_it_reads(), a_kernel_reads_what_it_writes(), a_copy_writes_what_a_callback_reads();
    nodes_of_a_graph();
    in_order();
    cudaEventDestroy(event), cudaStreamDestroy(a), cudaStreamDestroy(b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
