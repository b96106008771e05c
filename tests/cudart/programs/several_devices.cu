// A program of several devices: what belongs to each, copies between them, access to a peer's memory. It needs two or
// more, and passes on GPUs that are linked as well.
#include <vector>

#include "check.h"

__device__ int of_device = 7;
__managed__ int of_all = 5;

__global__ void set(int* to, int value) { to[threadIdx.x + blockIdx.x * blockDim.x] = value; }
__global__ void copy(int* to, const int* from) {
    const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    to[i] = from[i] + of_device;
}
__global__ void count(int* to) { atomicAdd_system(to, 1); }
__global__ void change() { of_device += 1, of_all += 1; }

constexpr int kBlocks = 4, kThreads = 64, kInts = kBlocks * kThreads;
constexpr size_t kBytes = kInts * sizeof(int);

int* ints_on(int device, int value) {
    int* p = nullptr;
    OK(cudaSetDevice(device));
    OK(cudaMalloc(&p, kBytes));
    set<<<kBlocks, kThreads>>>(p, value);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    return p;
}

void all_are(const int* from, int value) {
    std::vector<int> host(kInts);
    OK(cudaMemcpy(host.data(), from, kBytes, cudaMemcpyDefault));
    for (int x : host) CHECK(x == value);
}

void memory_belongs_to_devices() {
    size_t free0 = 0, free1 = 0, after0 = 0, after1 = 0, total = 0;
    OK(cudaSetDevice(1));
    OK(cudaFree(nullptr));
    OK(cudaMemGetInfo(&free1, &total));
    OK(cudaSetDevice(0));
    OK(cudaMemGetInfo(&free0, &total));
    void* large = nullptr;
    OK(cudaMalloc(&large, 64 << 20));
    OK(cudaMemGetInfo(&after0, &total));
    OK(cudaSetDevice(1));
    OK(cudaMemGetInfo(&after1, &total));
    CHECK(free0 - after0 >= (64u << 20) && free1 == after1);
    cudaPointerAttributes a{};
    OK(cudaPointerGetAttributes(&a, static_cast<char*>(large) + 100));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0);
    OK(cudaFree(large));  // of any device, whichever is current
    OK(cudaMalloc(&large, 64));
    OK(cudaPointerGetAttributes(&a, large));
    CHECK(a.device == 1);
    OK(cudaFree(large));
}

void streams_and_events_belong_to_devices() {
    OK(cudaSetDevice(1));
    cudaStream_t stream;
    cudaEvent_t event, other, begin;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&begin));
    int* p = ints_on(1, 1);
    OK(cudaSetDevice(0));
    OK(cudaEventCreate(&other));
    set<<<kBlocks, kThreads, 0, stream>>>(p, 3);  // runs on the stream's device
    OK(cudaGetLastError());
    OK(cudaStreamSynchronize(stream));
    all_are(p, 3);
    CHECK(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(other, stream) == cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    OK(cudaMemsetAsync(p, 0, kBytes, stream));  // copies and fills may be queued from any device
    OK(cudaEventRecord(event, stream));
    OK(cudaEventRecord(other, nullptr));
    OK(cudaStreamWaitEvent(nullptr, event, 0));
    OK(cudaEventSynchronize(event));
    OK(cudaEventSynchronize(other));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, other, event) == cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    OK(cudaStreamSynchronize(stream));
    OK(cudaDeviceSynchronize());
    all_are(p, 0);
    OK(cudaFree(p));
    OK(cudaStreamDestroy(stream));
    for (cudaEvent_t e : {event, other, begin}) OK(cudaEventDestroy(e));
}

template <class F>
F drivers(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status));
    CHECK(function);
    return reinterpret_cast<F>(function);
}

/// The driver's current context is that of the device that cudaSetDevice chose last, also where the program has set one by the driver.
void context_of_the_driver_follows() {
    const auto device_of_context = drivers<int (*)(int*)>("cuCtxGetDevice");
    const auto set = drivers<int (*)(void*)>("cuCtxSetCurrent");
    const auto retain = drivers<int (*)(void**, int)>("cuDevicePrimaryCtxRetain");
    const auto release = drivers<int (*)(int)>("cuDevicePrimaryCtxRelease");
    void* context = nullptr;
    int device = -1;
    CHECK(retain(&context, 0) == 0 && set(context) == 0 && device_of_context(&device) == 0 && device == 0);
    OK(cudaSetDevice(1));
    CHECK(device_of_context(&device) == 0 && device == 1);
    CHECK(set(context) == 0 && device_of_context(&device) == 0 && device == 0);
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    CHECK(release(0) == 0);
}

void variables_belong_to_devices() {
    int on0 = 0, on1 = 0;
    OK(cudaSetDevice(0));
    change<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&on0, of_device, sizeof on0));
    OK(cudaSetDevice(1));
    OK(cudaMemcpyFromSymbol(&on1, of_device, sizeof on1));
    CHECK(on0 == 8 && on1 == 7 && of_all == 6);
    change<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    CHECK(of_all == 7);
    const int seven = 7;
    for (int device : {0, 1}) {
        OK(cudaSetDevice(device));
        OK(cudaMemcpyToSymbol(of_device, &seven, sizeof seven));
    }
}

void copies_between() {
    int *p0 = ints_on(0, 10), *p1 = ints_on(1, 20);
    OK(cudaMemcpyPeer(p1, 1, p0, 0, kBytes));
    OK(cudaDeviceSynchronize());
    all_are(p1, 10);
    set<<<kBlocks, kThreads>>>(p1, 30);  // device 1 is current
    OK(cudaMemcpyPeer(p0, 0, p1, 1, kBytes));
    OK(cudaSetDevice(0));
    OK(cudaDeviceSynchronize());
    all_are(p0, 30);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemsetAsync(p0, 1, kBytes, stream));
    OK(cudaMemcpyPeerAsync(p1, 1, p0, 0, kBytes, stream));
    OK(cudaStreamSynchronize(stream));
    all_are(p1, 0x01010101);
    CHECK(cudaMemcpyPeer(p1, 99, p0, 0, 4) == cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p0));
    OK(cudaFree(p1));
}

void access_of_peers() {
    int can = 0;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    int *p0 = ints_on(0, 100), *p1 = ints_on(1, 0);
    CHECK(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
    CHECK(cudaDeviceEnablePeerAccess(0, 1) == cudaErrorInvalidValue);
    OK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled);
    CHECK(cudaDeviceEnablePeerAccess(99, 0) == cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    copy<<<kBlocks, kThreads>>>(p1, p0);  // on device 1: reads memory of device 0
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    all_are(p1, 107);
    set<<<kBlocks, kThreads>>>(p0, 9);  // and writes it
    OK(cudaDeviceSynchronize());
    all_are(p0, 9);
    int* counter = ints_on(0, 0);
    count<<<kBlocks, kThreads>>>(counter);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    count<<<kBlocks, kThreads>>>(counter);
    OK(cudaDeviceSynchronize());
    int counted = 0;
    OK(cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDefault));
    CHECK(counted == 2 * kInts);
    OK(cudaDeviceDisablePeerAccess(0));
    OK(cudaFree(counter));
    OK(cudaFree(p0));
    OK(cudaFree(p1));
}

void pools_of_devices() {
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 1));
    cudaMemLocation at{cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags flags;
    OK(cudaMemPoolGetAccess(&flags, pool, &at));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    cudaMemAccessDesc access{at, cudaMemAccessFlagsProtReadWrite};
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &at));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    OK(cudaSetDevice(1));
    int* p = nullptr;
    OK(cudaMallocAsync(&p, kBytes, nullptr));
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(0));
    set<<<kBlocks, kThreads>>>(p, 4);  // the pool is open to device 0
    OK(cudaDeviceSynchronize());
    all_are(p, 4);
    OK(cudaSetDevice(1));
    OK(cudaFreeAsync(p, nullptr));
    OK(cudaDeviceSynchronize());
}

/// A fault is the process's: the other devices work no more either.
void fault_without_access() {
    int *p0 = ints_on(0, 1), *p1 = ints_on(1, 2);
    OK(cudaSetDevice(1));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    copy<<<kBlocks, kThreads, 0, stream>>>(p1, p0);
    OK(cudaSetDevice(0));
    CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);  // whichever device is current
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    (void)cudaSetDevice(1);  // which may tell of earlier work there
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMalloc(&p1, 4) == cudaErrorIllegalAddress);
}

int main() {
    int devices = 0;
    OK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        std::printf("needs two devices, and there is %d\n", devices);
        return 2;
    }
    for (int k = 0; k < devices; ++k) {
        char id[32];
        int same = -1;
        OK(cudaDeviceGetPCIBusId(id, sizeof id, k));
        OK(cudaDeviceGetByPCIBusId(&same, id));
        CHECK(same == k);
    }
    CHECK(cudaSetDevice(devices) == cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    if (std::getenv("WITHOUT_ACCESS")) {
        fault_without_access();
        std::printf("passed\n");
        return 0;
    }
    memory_belongs_to_devices();
    streams_and_events_belong_to_devices();
    context_of_the_driver_follows();
    variables_belong_to_devices();
    copies_between();
    access_of_peers();
    pools_of_devices();
    std::printf("passed\n");
    return 0;
}
