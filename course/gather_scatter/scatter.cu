__global__ void gathered(const float* table, const int* which, float* out, int n) {
    const int t = blockIdx.x * 256 + threadIdx.x;
    const int row = t / 32, k = t % 32;
    if (row < n) out[which[row] * 32 + k] = table[row * 32 + k];
}
