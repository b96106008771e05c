// Launches whose figures must not depend on when the host does what: one kernel in several streams, each with its own
// sizes, and kernels that wait for words of the host.
#include <chrono>
#include <cstdio>
#include <thread>

__global__ void work(float* a, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    for (int k = 0; k < rounds; ++k) x = x * 1.0001f + 0.5f;
    a[i] = x;
}

__global__ void wait_for(volatile int* word, int value, int* out) {
    __shared__ int seen;
    if (threadIdx.x == 0) {
        while (*word != value) {
        }
        seen = value;
    }
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(out, seen);
}

int main() {
    constexpr int kStreams = 4, kNumbers = 1 << 12;
    float* a;
    int *pinned, *managed, *out, sum = 0;
    if (cudaMalloc(&a, kStreams * kNumbers * sizeof(float)) || cudaMallocHost(&pinned, sizeof(int)) ||
        cudaMallocManaged(&managed, sizeof(int)) || cudaMalloc(&out, sizeof(int)))
        return 1;
    *pinned = *managed = 0;
    cudaMemset(out, 0, sizeof(int));
    cudaMemset(a, 0, kStreams * kNumbers * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t streams[kStreams];
    for (auto& one : streams) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    for (int r = 0; r < 6; ++r)
        for (int k = 0; k < kStreams; ++k)
            work<<<kNumbers / 256, 256, 0, streams[k]>>>(a + k * kNumbers, kNumbers, 10 * (k + 1) + r);
    cudaDeviceSynchronize();
    wait_for<<<4, 64, 0, streams[0]>>>(pinned, 1, out);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *pinned = 1;
    wait_for<<<1, 64, 0, streams[1]>>>(managed, 2, out);
    *managed = 2;
    cudaDeviceSynchronize();
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    return sum != 4 * 32 + 64;
}
