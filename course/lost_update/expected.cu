__global__ void positives(const int* x, int* count, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] > 0;
    count[0] = sum;
}
