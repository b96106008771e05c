// Managed and page-locked memory that the host uses while a kernel may be using it. Each part forgets to wait in a way of its
// own; its repaired twin does not.
#include <cstdio>
#include <cstdlib>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
#else
    #define IF_RIGHT(...)
#endif
static int* managed(int words) {
    int* p = nullptr;
    cudaMallocManaged(&p, words * sizeof(int));
    for (int i = 0; i < words; ++i) p[i] = i;
    return p;
}
static void show(const char* what, int value) { std::printf("%s %d\n", what, value); }

__global__ void twice(int* p) { p[threadIdx.x] *= 2; }
__attribute__((noinline)) static void result_read_at_once() {
    int* p = managed(64);
    twice<<<1, 64>>>(p);
    IF_RIGHT(cudaDeviceSynchronize();)
    const int first = static_cast<volatile int*>(p)[1];  // FINDING race-host
    cudaDeviceSynchronize();
    show("first", p[1] + 0 * first);
    cudaFree(p);
}

__global__ void sum(const int* p, int* out) { atomicAdd(out, p[threadIdx.x]); }
__attribute__((noinline)) static void input_written_meanwhile() {
    int *p = managed(2048), *out = nullptr, host = 0;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    sum<<<1, 1024>>>(p + 1024, out);
    IF_RIGHT(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);)
    static_cast<volatile int*>(p)[1500] = 7;  // FINDING race-host
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    show("sum", host);
    cudaFree(p), cudaFree(out);
}

__global__ void step(int* p) { p[threadIdx.x] += 1; }
__attribute__((noinline)) static void the_other_stream_was_awaited(cudaStream_t a, cudaStream_t b) {
    int *p = managed(64), *q = managed(64);
    step<<<1, 64, 0, a>>>(p);
    step<<<1, 64, 0, b>>>(q);
    IF_RIGHT(cudaStreamSynchronize(a);)
    cudaStreamSynchronize(b);
    int total = static_cast<volatile int*>(q)[3];
    total += static_cast<volatile int*>(p)[3];  // FINDING race-host
    cudaDeviceSynchronize();
    show("total", 0 * total + p[3] + q[3]);
    cudaFree(p), cudaFree(q);
}

__global__ void to_mapped(int* p) { p[threadIdx.x] = 5; }
__attribute__((noinline)) static void mapped_memory() {
    int* p = nullptr;
    cudaHostAlloc(&p, 256, cudaHostAllocMapped);
    to_mapped<<<1, 64>>>(p);
    IF_RIGHT(cudaDeviceSynchronize();)
    const int five = static_cast<volatile int*>(p)[9];  // FINDING race-host
    cudaDeviceSynchronize();
    show("mapped", p[9] + 0 * five);
    cudaFreeHost(p);
}

__managed__ int variable[64];
__global__ void to_variable() { variable[threadIdx.x] = 3; }
__attribute__((noinline)) static void a_managed_variable() {
    to_variable<<<1, 64>>>();
    IF_RIGHT(cudaDeviceSynchronize();)
    const int three = static_cast<volatile int*>(variable)[7];  // FINDING race-host
    cudaDeviceSynchronize();
    show("variable", variable[7] + 0 * three);
}

__attribute__((noinline)) static void registered_memory() {
    constexpr int kBytes = 3 * 4096;
    int* p = static_cast<int*>(std::aligned_alloc(4096, kBytes));
    for (int i = 0; i < kBytes / 4; ++i) p[i] = i;
    cudaHostRegister(p, kBytes, cudaHostRegisterMapped);
    to_mapped<<<1, 64>>>(p + 1024);
    IF_RIGHT(cudaDeviceSynchronize();)
    static_cast<volatile int*>(p)[1030] = 1;  // FINDING race-host
    cudaDeviceSynchronize();
    show("registered", p[1031]);
    cudaHostUnregister(p);
    std::free(p);
}

struct Node {
    int value;
    Node* next;
};
__global__ void walk(Node* n) {
    for (; n; n = n->next) n->value += 1;
}
__attribute__((noinline)) static void a_list(int length) {
    Node* first = nullptr;
    for (int i = 0; i < length; ++i) {
        Node* n = nullptr;
        cudaMallocManaged(&n, sizeof(Node));
        n->value = i, n->next = first;
        first = n;
    }
    walk<<<1, 1>>>(first);
    IF_RIGHT(cudaDeviceSynchronize();)
    const int last = static_cast<volatile Node*>(first->next)->value;  // FINDING race-host
    cudaDeviceSynchronize();
    show("list", first->value + 0 * last);
    while (first) {
        Node* next = first->next;
        cudaFree(first);
        first = next;
    }
}

// All of this is in order, with and without RIGHT: parts that the kernel does not touch, input that both read, a flag, an
// event, and a host function behind which the host waits.
__global__ void lower_half(int* p, const int* in) { p[threadIdx.x] = in[threadIdx.x]; }
__global__ void answer(volatile int* question, volatile int* data) {
    while (*question == 0) {}
    *data = 42;
    __threadfence_system();
    *question = 2;
}
static void in_order(cudaStream_t a) {
    int *p = managed(128), *in = managed(64);
    int* flags = managed(2);
    flags[0] = flags[1] = 0;
    lower_half<<<1, 64>>>(p, in);
    int total = 0;
    for (int i = 64; i < 128; ++i) p[i] += static_cast<volatile int*>(in)[i - 64];
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event);
    while (cudaEventQuery(event) == cudaErrorNotReady) {}
    for (int i = 0; i < 128; ++i) total += p[i];
    answer<<<1, 1, 0, a>>>(flags, flags + 1);
    static_cast<volatile int*>(flags)[0] = 1;
    while (static_cast<volatile int*>(flags)[0] != 2) {}
    total += static_cast<volatile int*>(flags)[1];
    cudaStreamSynchronize(a);
    cudaMemPrefetchAsync(p, 512, {cudaMemLocationTypeDevice, 0}, 0, a);
    twice<<<1, 64, 0, a>>>(p);
    cudaMemset(in, 0, 256);
    cudaStreamSynchronize(a);
    for (int k = 0; k < 3; ++k) {
        step<<<1, 64, 0, a>>>(p);
        cudaStreamSynchronize(a);
        p[k] = 0;
    }
    // Registered memory that is a part of a page, beside others of the program, and another part of it than the kernel uses.
    static int beside[3000];
    cudaHostRegister(beside + 7, 2900 * 4, cudaHostRegisterMapped);
    step<<<1, 64, 0, a>>>(beside + 1500);
    for (int i = 0; i < 3000; ++i)
        if (i < 1500 || i >= 1564) beside[i] = i;
    cudaStreamSynchronize(a);
    cudaHostUnregister(beside + 7);
    show("in order", total + in[3] + p[5] + beside[1500]);
    cudaEventDestroy(event);
    cudaFree(p), cudaFree(in), cudaFree(flags);
}

int main() {
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    result_read_at_once(), input_written_meanwhile(), the_other_stream_was_awaited(a, b), mapped_memory(), a_list(8);
    a_managed_variable(), registered_memory();
    in_order(a);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
