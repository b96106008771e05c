// Work of two devices on the same memory: no stream of one knows of the other's, and a kernel reaches the other's
// memory only with access to it. OPTIONS --devices 2
#include <cstdio>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
    #define IF_WRONG(...)
#else
    #define IF_RIGHT(...)
    #define IF_WRONG(...) __VA_ARGS__
#endif
static int* memory_of(int device) {
    int* p = nullptr;
    cudaSetDevice(device);
    cudaMalloc(&p, 64 * sizeof(int));
    cudaMemset(p, 0, 64 * sizeof(int));
    cudaDeviceSynchronize();
    return p;
}
static void wait_for_both() {
    for (int device : {0, 1}) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
}

// The default streams of two devices do not wait for each other.
__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x]; }  // FINDING race-streams
static void no_event() {
    int *p = memory_of(0), *out = memory_of(1);
    cudaEvent_t event;
    cudaSetDevice(0);
    cudaEventCreate(&event);
    produce<<<1, 64>>>(p);
    cudaEventRecord(event, nullptr);
    cudaSetDevice(1);
    IF_RIGHT(cudaStreamWaitEvent(nullptr, event, 0);)
    consume<<<1, 64>>>(p, out);
    wait_for_both();
    cudaFree(p), cudaFree(out), cudaEventDestroy(event);
}

// A copy between devices in a stream of one of them: the other's kernel may still write.
__global__ void slow(int* p) { p[threadIdx.x] += 3; }
static void copy_beside() {
    int *p = memory_of(0), *q = memory_of(1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    slow<<<1, 64>>>(p);
    IF_RIGHT(cudaDeviceSynchronize();)
    cudaMemcpyPeerAsync(q, 1, p, 0, 256, stream);  // FINDING race-streams
    wait_for_both();
    cudaFree(p), cudaFree(q), cudaStreamDestroy(stream);
}

// One in the default stream waits for all of both devices, and they wait for it.
__global__ void before(int* p) { p[threadIdx.x] = 1; }
__global__ void behind(int* p) { p[threadIdx.x] += 1; }
static void copy_in_order() {
    int *p = memory_of(0), *q = memory_of(1);
    cudaSetDevice(0);
    before<<<1, 64>>>(p);
    cudaMemcpyPeer(q, 1, p, 0, 256);
    cudaSetDevice(1);
    behind<<<1, 64>>>(q);
    wait_for_both();
    cudaFree(p), cudaFree(q);
}

// Device 0 was never given access to memory of device 1.
__global__ void reach(int* p) { p[threadIdx.x] = 4; }  // FINDING peer-memory
static void no_access() {
    int* p = memory_of(1);
    cudaSetDevice(0);
    IF_RIGHT(cudaDeviceEnablePeerAccess(1, 0);)
    reach<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
}

int main() {
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    no_event();
    copy_beside();
    copy_in_order();
    no_access();
    return 0;
}
