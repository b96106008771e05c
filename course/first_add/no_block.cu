__global__ void added(const float* a, const float* b, float* c, int n) {
    const int i = threadIdx.x;
    c[i] = a[i] + b[i];
}
