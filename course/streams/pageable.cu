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
    cudaStream_t streams[4];
    for (auto& s : streams) cudaStreamCreate(&s);
    const int part = (n + 7) / 8;
    for (int p = 0; p < 8; ++p) {
        const int first = p * part, count = first + part < n ? part : n - first;
        if (count <= 0) break;
        cudaMemcpyAsync(x + first, from + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[p % 4]);
        rounds<<<(count + 255) / 256, 256, 0, streams[p % 4]>>>(x + first, y + first, count);
        cudaMemcpyAsync(to + first, y + first, count * sizeof(float), cudaMemcpyDeviceToHost, streams[p % 4]);
    }
    cudaDeviceSynchronize();
    for (auto& s : streams) cudaStreamDestroy(s);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += to[i] * (1 + i % 7);
    printf("%.3f\n", sum);
    cudaFree(x);
    cudaFree(y);
    free(from);
    free(to);
}
