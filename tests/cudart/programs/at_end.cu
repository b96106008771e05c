// What a program asks of the runtime while it ends: kernels that are still queued run, and exit handlers and destructors
// of static objects may call it.
#include "check.h"
__global__ void queued(int* p) {
    if (threadIdx.x == 0) printf("kernel queued %d\n", atomicAdd(p, 1));
}
__global__ void later(int* p) {
    if (threadIdx.x == 0) printf("kernel later %d\n", atomicAdd(p, 1));
}
static int* counter = nullptr;
static void use(const char* who) {
    int host = -1;
    const cudaError_t copied = cudaMemcpy(&host, counter, 4, cudaMemcpyDeviceToHost);
    later<<<1, 32>>>(counter);
    const cudaError_t ended = cudaDeviceSynchronize();
    std::printf("%s %d %s %s\n", who, host, cudaGetErrorName(copied), cudaGetErrorName(ended));
}
static struct Last {
    ~Last() {
        use("destructor");
        std::printf("free %s\n", cudaGetErrorName(cudaFree(counter)));
    }
} last;
int main() {
    std::atexit([] { use("before"); });
    OK(cudaMalloc(&counter, 4));
    OK(cudaMemset(counter, 0, 4));
    std::atexit([] { use("after"); });
    for (int k = 0; k < 3; ++k) queued<<<1, 32>>>(counter);
    return 0;
}
