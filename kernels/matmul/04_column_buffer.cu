// One block makes one column of C: it keeps the column of B in shared memory, its threads run over the rows.
// The mirror image of the row buffer, except that now lanes read A a whole row apart.
#ifndef BUFFER
#define BUFFER 8192
#endif

extern "C" __global__ void matmul_column_buffer(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ float piece[];  // min(K, BUFFER) elements
    int col = blockIdx.x;
    if (col >= N) return;
    for (int first = 0; first < M; first += blockDim.x) {
        int row = first + threadIdx.x;
        float sum = 0.0f;
        for (int begin = 0; begin < K; begin += BUFFER) {
            int length = K - begin < BUFFER ? K - begin : BUFFER;
            if (first == 0 || K > BUFFER) {
                __syncthreads();
                for (int k = threadIdx.x; k < length; k += blockDim.x) piece[k] = B[(begin + k) * N + col];
                __syncthreads();
            }
            if (row < M)
                for (int k = 0; k < length; ++k) sum += A[row * K + begin + k] * piece[k];
        }
        if (row < M) C[row * N + col] = sum;
    }
}
