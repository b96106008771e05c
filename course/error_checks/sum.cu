// Adds two vectors of n elements with blocks of so many threads, and prints the sum of all elements: ./sum N THREADS SEED.
// No call's error is looked at: with too many threads or elements it prints a wrong number and ends well.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const int* a, const int* b, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const long n = atol(argv[1]);
    const int threads = atoi(argv[2]), seed = atoi(argv[3]);
    const int kept = n < 1000000 ? (int)n : 1;  // so many elements are filled in
    std::vector<int> a(kept), b(kept), sum(kept);
    for (int i = 0; i < kept; ++i) a[i] = i * 7 + seed, b[i] = i * 3 - seed;
    int *x, *y, *z;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, n * sizeof(int));
    cudaMalloc(&z, n * sizeof(int));
    cudaMemcpy(x, a.data(), kept * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(y, b.data(), kept * sizeof(int), cudaMemcpyHostToDevice);
    add<<<(kept + threads - 1) / threads, threads>>>(x, y, z, kept);
    cudaMemcpy(sum.data(), z, kept * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    long long all = 0;
    for (int i = 0; i < kept; ++i) all += sum[i];
    printf("%lld\n", all);
    return 0;
}
