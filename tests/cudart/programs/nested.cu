// Kernels that launch kernels: the forms a launch may have, streams, tails, errors, and what the device's side can be asked.
#include "check.h"
#include <algorithm>
#include <vector>

namespace ns {
template <class T, int N = 2> __global__ void scale(T* p, T f) { p[threadIdx.x] *= f * N; }
}  // namespace ns
template <class T>
__global__ void __launch_bounds__(64) fill(T* p, T v, char c) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = v + c;
}
__global__ void none() {}
struct Big {
    double a;
    char c;
    int d[5];
};
__global__ void big(char lead, Big b, short s, double* out) { *out = lead + b.a + b.c + b.d[4] + s; }
template <class F> __global__ void apply(F f, int* p) { *p = f(*p); }

__device__ void helper(float* p) {
    if (p) fill<float>
        <<<dim3(2), 32>>>(p, 1.5f,
                          'a' - 'a');
    else none<<<1, 1>>>();
}

template <class T> __global__ void forms(T* p, double* out, int* q) {
    if (threadIdx.x) return;
    helper(p);
    fill<<<2, 32>>>(p, T(3), char(1));
    ns::scale<T><<<1, 64>>>(p, T(2));
    ns::scale<<<1, 64>>>(p, T(1));
    Big b{1, 2, {0, 0, 0, 0, 7}};
    big<<<1, 1>>>(3, b, 4, out);
    *q = 20;
    apply<<<1, 1 << 0, (1 >> 3)>>>([] __device__(int x) { return x + 1; }, q);
    cudaFuncAttributes attributes;
    q[1] = cudaFuncGetAttributes(&attributes, fill<float>);
    q[2] = attributes.maxThreadsPerBlock;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(q + 3, none, 64, 0);
    fill<float><<<1, 65, 0, cudaStreamTailLaunch>>>(p, 0, 0);  // more threads than its launch bounds
    q[4] = cudaPeekAtLastError();
    q[5] = cudaGetLastError();
    q[6] = cudaGetLastError();
    int device = 7;
    cudaGetDevice(&device);
    q[7] = device;
    cudaDeviceGetAttribute(q + 8, cudaDevAttrWarpSize, device);
    void* memory = nullptr;
    q[9] = cudaMalloc(&memory, 100);
    q[10] = memory ? cudaFree(memory) : 99;
    q[11] = cudaGetErrorName(cudaErrorInvalidValue)[9];  // cudaError|I|nvalidValue
}

__global__ void note(int* log, int id) { log[1 + atomicAdd(log, 1)] = id; }
__global__ void order(int* log) {
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 9);
    note<<<1, 1, 0, a>>>(log, 1);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    note<<<1, 1, 0, b>>>(log, 2);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaMemsetAsync(log + 50, 1, 8);
    cudaMemcpyAsync(log + 60, log + 50, 4, cudaMemcpyDeviceToDevice);
    note<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 3);
}

__global__ void many(int* p, int n) {
    for (int i = 0; i < n; ++i) {
        note<<<1, 1>>>(p + 10, 0);
        if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) ++p[1];
    }
}

__global__ void quicksort(int* data, int left, int right, int depth) {
    if (depth >= 20 || right - left <= 24) {
        for (int i = left + 1; i <= right; ++i)
            for (int j = i; j > left && data[j - 1] > data[j]; --j) {
                const int x = data[j];
                data[j] = data[j - 1], data[j - 1] = x;
            }
        return;
    }
    int l = left, r = right;
    const int pivot = data[(left + right) / 2];
    while (l <= r) {
        while (data[l] < pivot) ++l;
        while (data[r] > pivot) --r;
        if (l <= r) {
            const int x = data[l];
            data[l++] = data[r], data[r--] = x;
        }
    }
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (left < r) quicksort<<<1, 1, 0, s>>>(data, left, r, depth + 1);
    cudaStreamDestroy(s);
    if (l < right) quicksort<<<1, 1>>>(data, l, right, depth + 1);
}

int main() {
    float* p;
    double* out;
    int* q;
    OK(cudaMalloc(&p, 256));
    OK(cudaMalloc(&out, 8));
    OK(cudaMalloc(&q, 40000));
    forms<float><<<1, 32>>>(p, out, q);
    OK(cudaDeviceSynchronize());
    std::vector<float> f(64);
    double d = 0;
    std::vector<int> n(10000);
    const auto get = [&] { OK(cudaMemcpy(n.data(), q, 40000, cudaMemcpyDeviceToHost)); };
    OK(cudaMemcpy(f.data(), p, 256, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&d, out, 8, cudaMemcpyDeviceToHost));
    get();
    CHECK(std::all_of(f.begin(), f.end(), [](float x) { return x == 32; }));
    CHECK(d == 17);
    CHECK(n[0] == 21 && n[1] == 0 && n[2] == 64 && n[3] == 32);
    CHECK(n[4] == cudaErrorInvalidConfiguration && n[5] == n[4] && n[6] == 0);
    CHECK(n[7] == 0 && n[8] == 32 && n[9] == 0 && n[10] == 0 && n[11] == 'I');

    OK(cudaMemset(q, 0, 40000));
    order<<<1, 1>>>(q);
    get();
    CHECK(n[0] == 4 && n[4] == 9);
    CHECK(std::find(n.begin() + 1, n.begin() + 4, 1) < std::find(n.begin() + 1, n.begin() + 4, 2));
    CHECK(n[50] == 0x01010101 && n[51] == 0x01010101 && n[60] == 0x01010101 && n[61] == 0);

    OK(cudaMemset(q, 0, 40000));
    many<<<1, 1>>>(q, 2060);
    get();
    CHECK(n[10] == 2048 && n[1] == 12);
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 3000));
    OK(cudaMemset(q, 0, 40000));
    many<<<1, 1>>>(q, 2060);
    get();
    CHECK(n[10] == 2060 && n[1] == 0);

    std::vector<int> numbers(3000);
    unsigned seed = 7;
    for (auto& x : numbers) x = static_cast<int>((seed = seed * 1664525 + 1013904223) >> 8);
    OK(cudaMemcpy(q, numbers.data(), 12000, cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(q, 0, 2999, 0);
    get();
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::equal(numbers.begin(), numbers.end(), n.begin()));
    OK(cudaFree(p));
    OK(cudaFree(out));
    OK(cudaFree(q));
    std::printf("passed\n");
}
