// Four rounds: copy to the device, compute, copy back, change on the host. ./rounds N SEED
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void rounds(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < 200; ++k) v = v * 0.99f + 1;
    y[i] = v;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int n = atoi(argv[1]), seed = atoi(argv[2]);
    float *from, *to, *x, *y;
    from = (float*)malloc(n * sizeof(float));
    to = (float*)malloc(n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    for (int i = 0; i < n; ++i) from[i] = (i * 37 + seed) % 1000;
    for (int round = 0; round < 4; ++round) {
        cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice);
        rounds<<<(n + 255) / 256, 256>>>(x, y, n);
        cudaMemcpy(to, y, n * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) from[i] = to[i] + i % 3;
    }
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += to[i] * (1 + i % 7);
    printf("%.3f\n", sum);
    cudaFree(x);
    cudaFree(y);
    free(from);
    free(to);
}
