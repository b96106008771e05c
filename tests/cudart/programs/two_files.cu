// With two_files_other.cu: kernels that call device functions of another file, and a device variable that both have.
#include "check.h"

extern __device__ int calls;
__device__ float scaled(float x, int by);
static __device__ float own(float x) { return x + 1.0f; }
__global__ void other_kernel(float* p);

__global__ void this_kernel(float* p) {
    p[threadIdx.x] = own(scaled(p[threadIdx.x], 3));
    if (threadIdx.x == 0) atomicAdd(&calls, 10);
}

// A kernel of the other file launched by one of this.
__global__ void starts(float* p) { other_kernel<<<1, 64>>>(p); }

int read_calls();

// Each file has its own of these: the names say so nowhere but in the file's mark.
static __device__ int last;
static __global__ void set(int* p, int x) { *p = x, last = x; }
namespace {
template <class T>
__global__ void twice(T* p) {
    *p *= 2;
}
}  // namespace
int last_of_the_other(int* p, int x);

static void own_kernels(int* p) {
    int x = 0;
    set<<<1, 1>>>(p, 5);
    OK(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost));
    CHECK(x == 5);
    CHECK(last_of_the_other(p, 7) == 107);
    OK(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost));
    CHECK(x == 71);  // 7 * 10, and 1 that the other file's `twice` adds
    OK(cudaMemcpyFromSymbol(&x, last, sizeof x));
    CHECK(x == 5);
    twice<<<1, 1>>>(p);
    OK(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost));
    CHECK(x == 142);
    // A variable of the other file, by its own name here.
    x = 1;
    OK(cudaMemcpyToSymbol(calls, &x, sizeof x));
    CHECK(read_calls() == 1);
}

int main() {
    float values[64], *d;
    for (int i = 0; i < 64; ++i) values[i] = i;
    OK(cudaMalloc(&d, sizeof values));
    OK(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    this_kernel<<<1, 64>>>(d);
    other_kernel<<<1, 64>>>(d);
    OK(cudaMemcpy(values, d, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) CHECK(values[i] == (3.0f * i + 1.0f) * 2.0f + 100.0f);
    // 64 from the first kernel's lanes, 10 from it, 64 from the second's.
    CHECK(read_calls() == 64 + 10 + 64);
    starts<<<1, 1>>>(d);
    OK(cudaMemcpy(values, d, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) CHECK(values[i] == ((3.0f * i + 1.0f) * 2.0f + 100.0f) * 2.0f + 100.0f);
    own_kernels(reinterpret_cast<int*>(d));
    std::printf("passed\n");
}
