// What the runtime library refuses, and with which code. Each row is one wrong call or launch in a process of its own,
// since some of them leave the device unusable; a line has the row's name and the codes that its calls returned. On a
// real GPU the output is kept as h100.golden beside this file: tests/cudart/refusals_test.cpp holds the emulated GPU
// against it. Without an argument all rows run; with one, the row of that name.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <cstdint>
#include <cstdlib>

namespace {

__global__ void nothing() {}
__global__ void writes(int* at) { at[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) bounded() {}
__global__ void __cluster_dims__(2, 1, 1) clustered() {}
extern __shared__ int dynamic[];
__global__ void uses_dynamic() { dynamic[threadIdx.x] = 1; }
__global__ void uses_both(int* at) {
    __shared__ int fixed[10240];
    fixed[threadIdx.x] = dynamic[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = fixed[threadIdx.x ^ 1];
}
__global__ void reads_wide(const char* at, float4* to) { *to = *reinterpret_cast<const float4*>(at + 4); }
__global__ void shared_wide(float4* to, int offset) {
    __shared__ char bytes[256];
    bytes[threadIdx.x] = 1;
    __syncthreads();
    *to = *reinterpret_cast<float4*>(bytes + offset);
}
__global__ void shared_far(int* to, int offset) {
    __shared__ int words[32];
    words[threadIdx.x] = 1;
    __syncthreads();
    to[threadIdx.x] = words[threadIdx.x + offset];
}
__global__ void traps() { __trap(); }
__global__ void asserts(int* at) {
    if (at == nullptr) asm volatile("trap;");
}
__global__ void spins(volatile int* at) {
    const long long begin = clock64();
    while (*at == 0 && clock64() - begin < 2000000000ll) {
    }
}
__global__ void prints() { printf("."); }
__global__ void allocates(int* got) {
    int count = 0;
    for (int i = 0; i < 64; ++i) count += malloc(1 << 20) != nullptr;
    *got = count;
}
__global__ void __launch_bounds__(1024) whole_grid(int* at) {
    cooperative_groups::this_grid().sync();
    at[threadIdx.x] = 1;
}
// Many values that live at once: 192 sums, all used in the end.
__global__ void many_registers(const float* from, float* to, int count) {
    float sums[192];
#pragma unroll
    for (int i = 0; i < 192; ++i) sums[i] = from[i];
    for (int k = 0; k < count; ++k) {
        const float x = from[k];
#pragma unroll
        for (int i = 0; i < 192; ++i) sums[i] = sums[i] * x + sums[(i + 1) % 192];
    }
#pragma unroll
    for (int i = 0; i < 192; ++i) to[i * 1024 + threadIdx.x] = sums[i];
}
__constant__ int constants[16];
__device__ int variable;

void say(cudaError_t code) { std::printf(" %s", cudaGetErrorName(code)); }
// The code of a launch and that of what the kernel did.
void launched() {
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
}
template <class T = int>
T* memory(size_t count = 4096) {
    T* at = nullptr;
    cudaMalloc(&at, count * sizeof(T));
    cudaMemset(at, 0, count * sizeof(T));
    return at;
}
cudaError_t extended(void (*kernel)(), dim3 grid, dim3 block, dim3 cluster, bool cooperative = false) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster.x;
    attributes[0].val.clusterDim.y = cluster.y;
    attributes[0].val.clusterDim.z = cluster.z;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    config.attrs = attributes;
    config.numAttrs = cooperative ? 2 : 1;
    return cudaLaunchKernelEx(&config, kernel);
}
void calls_back(void* told) { *static_cast<cudaError_t*>(told) = cudaDeviceSynchronize(); }
void allocates_back(void* told) {
    void* at = nullptr;
    *static_cast<cudaError_t*>(told) = cudaMalloc(&at, 64);
}

struct Row {
    const char* name;
    void (*run)();
};
const Row rows[] = {
    // Launches.
    {"grid_of_zero", [] { nothing<<<0, 32>>>(); launched(); }},
    {"block_of_zero", [] { nothing<<<1, 0>>>(); launched(); }},
    {"block_of_1025", [] { nothing<<<1, 1025>>>(); launched(); }},
    {"block_y_1025", [] { nothing<<<1, dim3(1, 1025)>>>(); launched(); }},
    {"block_z_65", [] { nothing<<<1, dim3(1, 1, 65)>>>(); launched(); }},
    {"grid_y_65536", [] { nothing<<<dim3(1, 65536), 1>>>(); launched(); }},
    {"grid_z_65536", [] { nothing<<<dim3(1, 1, 65536), 1>>>(); launched(); }},
    {"shared_without_attribute", [] { uses_dynamic<<<1, 32, 48 * 1024 + 4>>>(); launched(); }},
    {"shared_attribute_too_large", [] {
         say(cudaFuncSetAttribute(uses_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 4));
         launched();
     }},
    {"shared_attribute_negative", [] {
         say(cudaFuncSetAttribute(uses_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
         launched();
     }},
    {"shared_fixed_and_dynamic", [] { uses_both<<<1, 32, 16 * 1024>>>(memory()); launched(); }},
    {"shared_fixed_and_attribute", [] {
         say(cudaFuncSetAttribute(uses_both, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
         launched();
     }},
    {"registers_times_threads", [] { many_registers<<<1, 1024>>>(memory<float>(), memory<float>(192 * 1024), 4); launched(); }},
    {"registers_of_128_threads", [] { many_registers<<<1, 128>>>(memory<float>(), memory<float>(192 * 1024), 4); launched(); }},
    {"launch_bounds_exceeded", [] { bounded<<<1, 256>>>(); launched(); }},
    {"cooperative_too_large", [] {
         int* at = memory();
         void* arguments[] = {&at};
         say(cudaLaunchCooperativeKernel(whole_grid, dim3(100000), dim3(1024), arguments));
         launched();
     }},
    {"grid_sync_without_cooperative", [] { whole_grid<<<1, 32>>>(memory()); launched(); }},
    {"cluster_of_9", [] { say(extended(nothing, 9, 32, 9)); launched(); }},
    {"cluster_of_16", [] { say(extended(nothing, 16, 32, 16)); launched(); }},
    {"cluster_of_32", [] { say(extended(nothing, 32, 32, 32)); launched(); }},
    {"cluster_of_0", [] { say(extended(nothing, 32, 32, dim3(0, 1, 1))); launched(); }},
    {"cluster_does_not_divide", [] { say(extended(nothing, 3, 32, 2)); launched(); }},
    {"cluster_dims_do_not_divide", [] { clustered<<<3, 32>>>(); launched(); }},
    {"cluster_dims_differ", [] { say(extended(clustered, 8, 32, 4)); launched(); }},
    {"no_kernel", [] { say(cudaLaunchKernel((const void*)nullptr, dim3(1), dim3(1), nullptr, 0, nullptr)); launched(); }},
    {"a_host_function_as_kernel", [] { say(cudaLaunchKernel((const void*)&calls_back, dim3(1), dim3(1), nullptr, 0, nullptr)); launched(); }},
    {"attributes_of_no_kernel", [] { cudaFuncAttributes a; say(cudaFuncGetAttributes(&a, (const void*)&calls_back)); launched(); }},
    {"attribute_of_no_name", [] { say(cudaFuncSetAttribute(nothing, (cudaFuncAttribute)77, 1)); launched(); }},
    {"carveout_of_101", [] { say(cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 101)); launched(); }},
    {"occupancy_of_zero_threads", [] { int n = -1; say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0)); launched(); }},
    {"occupancy_of_2048_threads", [] { int n = -1; say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 2048, 0)); std::printf(" %d", n); launched(); }},
    // What kernels do.
    {"null_pointer", [] { writes<<<1, 32>>>(nullptr); launched(); int* at; say(cudaMalloc(&at, 4)); say(cudaGetLastError()); }},
    {"host_pointer", [] { static int there[32]; writes<<<1, 32>>>(reinterpret_cast<int*>(std::uintptr_t(there) | (std::uintptr_t(1) << 55))); launched(); }},
    {"misaligned_load", [] { reads_wide<<<1, 1>>>(memory<char>(), memory<float4>()); launched(); }},
    {"misaligned_shared", [] { shared_wide<<<1, 32>>>(memory<float4>(), 4); launched(); }},
    {"shared_past_the_window", [] { shared_far<<<1, 32>>>(memory(), 1 << 20); launched(); }},
    {"trap", [] { traps<<<1, 1>>>(); launched(); say(cudaDeviceSynchronize()); }},
    {"trap_in_a_branch", [] { asserts<<<1, 1>>>(nullptr); launched(); }},
    {"reset_after_a_fault", [] { traps<<<1, 1>>>(); launched(); say(cudaDeviceReset()); int* at; say(cudaMalloc(&at, 4)); }},
    {"heap_exhausted", [] { int* got = memory(); allocates<<<1, 1>>>(got); launched(); int n = -1; cudaMemcpy(&n, got, 4, cudaMemcpyDeviceToHost); std::printf(" %d", n < 8 ? 7 : 8); }},
    // Memory.
    {"malloc_of_a_petabyte", [] { void* at; say(cudaMalloc(&at, size_t(1) << 50)); launched(); }},
    {"malloc_of_zero", [] { void* at = &at; say(cudaMalloc(&at, 0)); std::printf(at ? " some" : " none"); launched(); }},
    {"malloc_into_null", [] { say(cudaMalloc((void**)nullptr, 4)); launched(); }},
    {"free_of_no_memory", [] { say(cudaFree(reinterpret_cast<void*>(0x1230))); launched(); }},
    {"free_twice", [] { int* at = memory(); say(cudaFree(at)); say(cudaFree(at)); launched(); }},
    {"free_of_the_middle", [] { int* at = memory(); say(cudaFree(at + 4)); launched(); }},
    {"copy_past_the_end", [] { int* at = memory(4); static char from[4096]; say(cudaMemcpy(at, from, 4096, cudaMemcpyHostToDevice)); launched(); }},
    {"copy_with_a_kind_of_no_name", [] { int* at = memory(4); int from = 1; say(cudaMemcpy(at, &from, 4, (cudaMemcpyKind)77)); launched(); }},
    {"copy_from_null", [] { int* at = memory(4); say(cudaMemcpy(at, nullptr, 16, cudaMemcpyHostToDevice)); launched(); }},
    {"copy_of_nothing_from_null", [] { int* at = memory(4); say(cudaMemcpy(at, nullptr, 0, cudaMemcpyHostToDevice)); launched(); }},
    {"memset_past_the_end", [] { int* at = memory(4); say(cudaMemset(at, 0, 1 << 22)); launched(); }},
    {"pitch_below_the_width", [] { int* at = memory(); static char from[4096]; say(cudaMemcpy2D(at, 16, from, 64, 64, 4, cudaMemcpyHostToDevice)); launched(); }},
    {"symbol_past_the_end", [] { static char from[4096]; say(cudaMemcpyToSymbol(constants, from, 65)); launched(); }},
    {"symbol_offset_past_the_end", [] { int from = 1; say(cudaMemcpyToSymbol(variable, &from, 4, 4)); launched(); }},
    {"no_symbol", [] { void* at; static int there; say(cudaGetSymbolAddress(&at, there)); launched(); }},
    {"register_twice", [] { static char page[8192] __attribute__((aligned(4096))); say(cudaHostRegister(page, 4096, 0)); say(cudaHostRegister(page, 4096, 0)); launched(); }},
    {"unregister_unregistered", [] { static char page[8192] __attribute__((aligned(4096))); say(cudaHostUnregister(page)); launched(); }},
    {"register_with_flags_of_no_name", [] { static char page[8192] __attribute__((aligned(4096))); say(cudaHostRegister(page, 4096, 0x8000)); launched(); }},
    {"free_host_of_malloc", [] { void* at = std::malloc(64); say(cudaFreeHost(at)); launched(); }},
    {"device_pointer_of_unregistered", [] { void* at; static int there; say(cudaHostGetDevicePointer(&at, &there, 0)); launched(); }},
    {"managed_without_flags", [] { void* at; say(cudaMallocManaged(&at, 64, 0)); launched(); }},
    {"managed_of_zero", [] { void* at; say(cudaMallocManaged(&at, 0)); launched(); }},
    {"array_of_three_channels", [] { cudaArray_t a; cudaChannelFormatDesc d{32, 32, 32, 0, cudaChannelFormatKindFloat}; say(cudaMallocArray(&a, &d, 16, 16)); launched(); }},
    {"array_of_no_width", [] { cudaArray_t a; cudaChannelFormatDesc d{32, 0, 0, 0, cudaChannelFormatKindFloat}; say(cudaMallocArray(&a, &d, 0, 16)); launched(); }},
    {"array_too_wide", [] { cudaArray_t a; cudaChannelFormatDesc d{32, 0, 0, 0, cudaChannelFormatKindFloat}; say(cudaMallocArray(&a, &d, 1 << 20, 1)); launched(); }},
    {"texture_of_misaligned_memory", [] {
         cudaResourceDesc r = {};
         r.resType = cudaResourceTypeLinear;
         r.res.linear.devPtr = memory<char>() + 4;
         r.res.linear.desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
         r.res.linear.sizeInBytes = 1024;
         cudaTextureDesc t = {};
         cudaTextureObject_t o;
         say(cudaCreateTextureObject(&o, &r, &t, nullptr));
         launched();
     }},
    {"prefetch_past_the_end", [] { int* at; say(cudaMallocManaged(&at, 64)); cudaMemLocation to{cudaMemLocationTypeDevice, 0}; say(cudaMemPrefetchAsync(at, size_t(1) << 40, to, 0, 0)); launched(); }},
    {"advice_of_no_name", [] { int* at; say(cudaMallocManaged(&at, 64)); cudaMemLocation to{cudaMemLocationTypeDevice, 0}; say(cudaMemAdvise(at, 64, (cudaMemoryAdvise)77, to)); launched(); }},
    {"pool_attribute_of_no_name", [] { cudaMemPool_t pool; say(cudaDeviceGetDefaultMemPool(&pool, 0)); unsigned long long v = 0; say(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)77, &v)); launched(); }},
    {"free_async_of_no_memory", [] { say(cudaFreeAsync(reinterpret_cast<void*>(0x1230), 0)); launched(); }},
    {"free_async_twice", [] { void* at; say(cudaMallocAsync(&at, 64, 0)); say(cudaFreeAsync(at, 0)); say(cudaFreeAsync(at, 0)); launched(); }},
    // Devices and limits.
    {"device_of_no_number", [] { say(cudaSetDevice(99)); say(cudaSetDevice(-1)); launched(); }},
    {"properties_of_no_device", [] { cudaDeviceProp p; say(cudaGetDeviceProperties(&p, 99)); launched(); }},
    {"device_attribute_of_no_name", [] { int v; say(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0)); launched(); }},
    {"limit_of_no_name", [] { say(cudaDeviceSetLimit((cudaLimit)77, 1)); size_t v; say(cudaDeviceGetLimit(&v, (cudaLimit)77)); launched(); }},
    {"heap_limit_after_use", [] { int* got = memory(); allocates<<<1, 1>>>(got); launched(); say(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20)); launched(); }},
    {"printf_limit_after_use", [] { prints<<<1, 1>>>(); launched(); say(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20)); launched(); }},
    {"stack_limit_too_large", [] { say(cudaDeviceSetLimit(cudaLimitStackSize, size_t(1) << 30)); launched(); }},
    {"peer_of_itself", [] { say(cudaDeviceEnablePeerAccess(0, 0)); int can = 7; say(cudaDeviceCanAccessPeer(&can, 0, 0)); std::printf(" %d", can); launched(); }},
    {"peer_of_no_device", [] { int can = 7; say(cudaDeviceCanAccessPeer(&can, 0, 99)); launched(); }},
    {"cache_config_of_no_name", [] { say(cudaFuncSetCacheConfig(nothing, (cudaFuncCache)77)); say(cudaDeviceSetCacheConfig((cudaFuncCache)77)); launched(); }},
    {"device_flags_of_no_name", [] { say(cudaSetDeviceFlags(0x4000)); launched(); }},
    // Streams, events, captures and graphs.
    {"stream_flags_of_no_name", [] { cudaStream_t s; say(cudaStreamCreateWithFlags(&s, 0x40)); launched(); }},
    {"destroy_the_default_stream", [] { say(cudaStreamDestroy(0)); launched(); }},
    {"query_a_busy_stream", [] { int* at = memory(); spins<<<1, 1>>>(at); say(cudaGetLastError()); say(cudaStreamQuery(0)); say(cudaGetLastError()); }},
    {"elapsed_of_unrecorded", [] { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float ms; say(cudaEventElapsedTime(&ms, a, b)); launched(); }},
    {"elapsed_without_timing", [] { cudaEvent_t a, b; cudaEventCreateWithFlags(&a, cudaEventDisableTiming); cudaEventCreateWithFlags(&b, cudaEventDisableTiming); cudaEventRecord(a); cudaEventRecord(b); cudaDeviceSynchronize(); float ms; say(cudaEventElapsedTime(&ms, a, b)); launched(); }},
    {"elapsed_of_unfinished", [] { int* at = memory(); cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a); spins<<<1, 1>>>(at); cudaEventRecord(b); float ms; say(cudaEventElapsedTime(&ms, a, b)); say(cudaEventQuery(b)); say(cudaGetLastError()); }},
    {"event_flags_of_no_name", [] { cudaEvent_t e; say(cudaEventCreateWithFlags(&e, 0x40)); launched(); }},
    {"interprocess_event_with_timing", [] { cudaEvent_t e; say(cudaEventCreateWithFlags(&e, cudaEventInterprocess)); launched(); }},
    {"wait_with_flags_of_no_name", [] { cudaEvent_t e; cudaEventCreate(&e); say(cudaStreamWaitEvent(0, e, 0x40)); launched(); }},
    {"record_of_no_event", [] { say(cudaEventRecord(nullptr, 0)); launched(); }},
    {"capture_of_the_default_stream", [] { say(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)); launched(); }},
    {"capture_mode_of_no_name", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)77)); launched(); }},
    {"end_of_no_capture", [] { cudaStream_t s; cudaStreamCreate(&s); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); launched(); }},
    {"capture_twice", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"synchronise_in_a_capture", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); say(cudaStreamSynchronize(s)); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"device_synchronise_in_a_capture", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); say(cudaDeviceSynchronize()); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"malloc_in_a_capture", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); void* at; say(cudaMalloc(&at, 64)); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"default_stream_in_a_capture", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); nothing<<<1, 1>>>(); say(cudaGetLastError()); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"query_in_a_capture", [] { cudaStream_t s; cudaStreamCreate(&s); say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); say(cudaStreamQuery(s)); cudaGraph_t g; say(cudaStreamEndCapture(s, &g)); }},
    {"unjoined_capture", [] {
         cudaStream_t s, other;
         cudaStreamCreate(&s), cudaStreamCreate(&other);
         cudaEvent_t e;
         cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
         say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
         cudaEventRecord(e, s), cudaStreamWaitEvent(other, e, 0);
         nothing<<<1, 1, 0, other>>>();
         cudaGraph_t g;
         say(cudaStreamEndCapture(s, &g));
     }},
    {"graph_with_a_circle", [] {
         cudaGraph_t g;
         cudaGraphCreate(&g, 0);
         cudaGraphNode_t a, b;
         cudaGraphAddEmptyNode(&a, g, nullptr, 0), cudaGraphAddEmptyNode(&b, g, &a, 1);
         say(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
         cudaGraphExec_t x;
         say(cudaGraphInstantiate(&x, g, 0));
         launched();
     }},
    {"dependency_twice", [] {
         cudaGraph_t g;
         cudaGraphCreate(&g, 0);
         cudaGraphNode_t a, b;
         cudaGraphAddEmptyNode(&a, g, nullptr, 0), cudaGraphAddEmptyNode(&b, g, &a, 1);
         say(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
         launched();
     }},
    {"graph_flags_of_no_name", [] { cudaGraph_t g; say(cudaGraphCreate(&g, 77)); launched(); }},
    {"sync_in_a_host_function", [] { static cudaError_t told = cudaSuccess; say(cudaLaunchHostFunc(0, calls_back, &told)); launched(); say(told); }},
    {"malloc_in_a_host_function", [] { static cudaError_t told = cudaSuccess; say(cudaLaunchHostFunc(0, allocates_back, &told)); launched(); say(told); }},
    {"no_host_function", [] { say(cudaLaunchHostFunc(0, nullptr, nullptr)); launched(); }},
    // Errors themselves.
    {"an_error_is_told_once", [] { nothing<<<0, 1>>>(); say(cudaPeekAtLastError()); say(cudaGetLastError()); say(cudaGetLastError()); launched(); }},
    {"a_call_that_succeeds_keeps_the_error", [] { nothing<<<0, 1>>>(); int n; say(cudaGetDeviceCount(&n)); say(cudaGetLastError()); launched(); }},
    {"a_later_error_replaces_it", [] { nothing<<<0, 1>>>(); void* at; say(cudaMalloc(&at, size_t(1) << 50)); say(cudaGetLastError()); say(cudaGetLastError()); }},
};

// One row in a process of its own, which ends by itself after a minute.
void run_alone(const Row& row) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        std::printf("%s:", row.name);
        row.run();
        std::printf("\n");
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("%s: signal %d\n", row.name, WTERMSIG(status));
}

}  // namespace

int main(int count, char** words) {
    for (const auto& row : rows)
        if (count < 2 || std::strcmp(words[1], row.name) == 0) run_alone(row);
}
