__global__ void histogram(const unsigned char* values, int* counts, int n) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += values[i] == threadIdx.x;
    counts[threadIdx.x] = count;
}
