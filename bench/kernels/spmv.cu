// y = A x, A sparse by rows (CSR), one thread a row: rows of differing length, loads at any address. Blocks of 128.
extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y,
                                int rows) {
    int row = blockIdx.x * 128 + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}
