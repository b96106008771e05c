// The __nv_atomic functions; functions of later architectures named in host-visible code; what the C library's headers
// give without an #include; and accesses up to 512 bytes past an allocation's last 512, which no GPU notices.
#include <cuda.h>

#include "check.h"

__global__ void count(unsigned* counter, long long* most, float* sum, unsigned char* flags, unsigned* wins) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_add(counter, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(most, (long long)i * 3, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_fetch_add(sum, 0.5f, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_store_n(flags + i, i & 127, __NV_ATOMIC_RELEASE);
    unsigned none = 0;
    if (__nv_atomic_compare_exchange_n(wins, &none, i + 1, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED)) atomicAdd_system(wins + 1, 1u);
    if (__nv_atomic_load_n(flags + i, __NV_ATOMIC_ACQUIRE) != (i & 127)) atomicAdd_system(wins + 1, 1000u);
}

__global__ void past_the_end(int* p, int n) { p[n + threadIdx.x] = 7; }

int main() {
    unsigned* counter;
    long long* most;
    float* sum;
    unsigned char* flags;
    OK(cudaMalloc(&counter, 3 * sizeof(unsigned)));
    OK(cudaMalloc(&most, sizeof(long long)));
    OK(cudaMalloc(&sum, sizeof(float)));
    OK(cudaMalloc(&flags, 1024));
    count<<<8, 128>>>(counter, most, sum, flags, counter + 1);
    unsigned counts[3];
    long long m;
    float s;
    OK(cudaMemcpy(counts, counter, sizeof counts, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&m, most, sizeof m, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost));
    CHECK(counts[0] == 1024 && counts[1] != 0 && counts[2] == 1);
    CHECK(m == 1023 * 3 && s == 512.0f);
    int* small;
    OK(cudaMalloc(&small, 100 * sizeof(int)));
    past_the_end<<<1, 28>>>(small, 100);  // to the end of 512 bytes
    OK(cudaDeviceSynchronize());
    past_the_end<<<1, 28 + 128>>>(small, 100);  // and of the 512 behind them
    OK(cudaDeviceSynchronize());
    if (abs((int)strlen("passed") - 6) == EXIT_SUCCESS) std::printf("passed\n");
    past_the_end<<<1, 29 + 128>>>(small, 100);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}
