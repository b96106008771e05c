// Memory and events shared by two processes. The codes are those of an H100 with driver 580.
#include <sys/wait.h>
#include <unistd.h>
#include <cstring>
#include "check.h"
#define IS(call, code) CHECK((call) == code)
__global__ void add(int* p, int n) { atomicAdd(p, n); }
struct Told {
    cudaIpcMemHandle_t memory, neighbour;
    cudaIpcEventHandle_t event;
};
template <class T> static void give(int to, const T& value) { CHECK(write(to, &value, sizeof value) == sizeof value); }
template <class T> static void take(int from, T& value) { CHECK(read(from, &value, sizeof value) == sizeof value); }
static int child(int from, int to) {
    Told t;
    take(from, t);
    int *p, *again, *q, host = 0;
    OK(cudaIpcOpenMemHandle((void**)&p, t.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void**)&q, t.neighbour, cudaIpcMemLazyEnablePeerAccess));
    cudaEvent_t e;
    OK(cudaIpcOpenEventHandle(&e, t.event));
    OK(cudaEventSynchronize(e));
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 5);
    add<<<1, 32>>>(p, 1);
    add<<<1, 1>>>(q + 255, 7);
    OK(cudaDeviceSynchronize());
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeDevice);
    IS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaIpcOpenMemHandle((void**)&again, t.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(again == p);
    OK(cudaIpcCloseMemHandle(p));
    OK(cudaIpcCloseMemHandle(p));
    IS(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(q));
    std::memset(&t.memory, 0, sizeof t.memory);
    IS(cudaIpcOpenMemHandle((void**)&p, t.memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
    give(to, 1);
    return 0;
}
int main() {
    int down[2], up[2];
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    const pid_t other = fork();
    if (other == 0) return child(down[0], up[1]);
    // Small allocations: their pages are shared by neighbours, which must stay as they are.
    int *before, *p, *q, *after, *pinned, host = 0;
    OK(cudaMalloc(&before, 1024));
    OK(cudaMalloc(&p, 1024));
    OK(cudaMalloc(&q, 1024));
    OK(cudaMalloc(&after, 1024));
    OK(cudaMemset(before, 1, 1024));
    OK(cudaMemset(q, 0, 1024));
    OK(cudaMemset(after, 2, 1024));
    OK(cudaMallocHost(&pinned, 64));
    Told t;
    cudaEvent_t e, plain;
    OK(cudaIpcGetMemHandle(&t.memory, p));
    IS(cudaIpcGetMemHandle(&t.neighbour, pinned), cudaErrorInvalidValue);
    OK(cudaIpcGetMemHandle(&t.neighbour, q));
    void* own;
    IS(cudaIpcOpenMemHandle(&own, t.memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    OK(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaEventCreate(&plain));
    IS(cudaIpcGetEventHandle(&t.event, plain), cudaErrorInvalidResourceHandle);
    OK(cudaIpcGetEventHandle(&t.event, e));
    // A wait in a stream is for the records before it, not for one that stands behind it.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaLaunchHostFunc(stream, [](void*) { usleep(20000); }, nullptr));
    OK(cudaStreamWaitEvent(stream, e, 0));
    OK(cudaEventRecord(e, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaMemset(p, 0, 1024));
    add<<<1, 5>>>(p, 1);
    OK(cudaEventRecord(e));
    give(down[1], t);
    int done = 0;
    take(up[0], done);
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 37);
    OK(cudaMemcpy(&host, q + 255, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 7);
    OK(cudaFree(p));
    OK(cudaMemcpy(&host, before + 255, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 0x01010101);
    OK(cudaMemcpy(&host, q + 255, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 7);
    OK(cudaFree(q));
    OK(cudaMemcpy(&host, after, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 0x02020202);
    int status = 1;
    CHECK(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    std::puts("passed");
}
