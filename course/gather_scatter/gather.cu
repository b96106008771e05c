// Row r of out becomes row which[r] of table. Rows have 32 floats. The grid has 32 threads for each of the n rows; here the
// first n of them copy a row each.
__global__ void gathered(const float* table, const int* which, float* out, int n) {
    const int t = blockIdx.x * 256 + threadIdx.x;
    if (t < n)
        for (int k = 0; k < 32; ++k) out[t * 32 + k] = table[which[t] * 32 + k];
}
