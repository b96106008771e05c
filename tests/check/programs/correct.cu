// Nothing is wrong here, though much looks unusual: errors that are expected and looked at in several ways, memory that the
// host writes by itself, a kernel that waits for the host, memory freed after main, an exit code of the program's own.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call)                                    \
    do {                                               \
        if ((call) != cudaSuccess) {                   \
            std::printf("failed: line %d\n", __LINE__); \
            std::exit(1);                              \
        }                                              \
    } while (0)
static int failures = 0;
static void gather(cudaError_t e) { failures += e != cudaSuccess; }
static cudaError_t try_copy(void* to, const void* from) { return cudaMemcpy(to, from, 1 << 20, cudaMemcpyDeviceToHost); }
struct Buffer {
    int* data = nullptr;
    explicit Buffer(size_t n) { CHECK(cudaMalloc(&data, n * sizeof(int))); }
    ~Buffer() { cudaFree(data); }
};
static Buffer& global() {
    static Buffer b(64);
    return b;
}
__global__ void fill(int* x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void add(const int* a, const int* b, int* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
__global__ void wait_for_host(volatile int* flag, int* out) {
    while (*flag == 0) {}
    *out = 1;
}
__device__ int counter;
__global__ void count() { atomicAdd(&counter, 1); }
int main(int argc, char** argv) {
    int *a, *b, host[64];
    Buffer c(64);
    CHECK(cudaMallocHost(&a, 256));
    CHECK(cudaMallocManaged(&b, 256));
    for (int i = 0; i < 64; ++i) a[i] = i, b[i] = 100;
    add<<<2, 32>>>(a, b, c.data);
    fill<<<2, 32>>>(global().data, 7);
    CHECK(cudaMemcpy(host, c.data, 256, cudaMemcpyDeviceToHost));
    std::vector<int> own(64, 5);
    CHECK(cudaHostRegister(own.data(), 256, 0));
    add<<<2, 32>>>(own.data(), c.data, own.data());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(own.data()));
    // Expected errors.
    void* none = nullptr;
    gather(cudaMalloc(&none, size_t(1) << 50));
    if (try_copy(host, c.data) == cudaSuccess) return 1;
    cudaMemcpy(host, c.data, 1 << 20, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaErrorInvalidValue) return 1;
    fill<<<1, 4096>>>(c.data, 1);
    if (cudaPeekAtLastError() == cudaSuccess) return 1;
    (void)cudaGetLastError();
    // The host answers late.
    volatile int* flag = a;
    a[0] = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    wait_for_host<<<1, 1, 0, stream>>>(a, c.data);
    while (cudaStreamQuery(stream) == cudaErrorNotReady && *flag == 0) *flag = 1;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    count<<<3, 32>>>();
    CHECK(cudaMemcpyFromSymbol(host, counter, 4));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFree(b));
    std::printf("%s %d %d %d\n", argc > 1 ? argv[1] : "", host[0], own[63], failures);
    return host[0] == 96 && own[63] == 5 + 163 && failures == 1 ? 3 : 1;
}
