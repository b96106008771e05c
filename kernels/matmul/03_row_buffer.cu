// One block makes one row of C: it keeps the row of A in shared memory, its threads run over the columns.
// A row longer than BUFFER elements is taken in pieces; more columns than threads are taken in turns.
#ifndef BUFFER
#define BUFFER 8192
#endif

extern "C" __global__ void matmul_row_buffer(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ float piece[];  // min(K, BUFFER) elements
    int row = blockIdx.x;
    if (row >= M) return;  // the whole block: no thread is left waiting at a barrier
    for (int first = 0; first < N; first += blockDim.x) {
        int col = first + threadIdx.x;
        float sum = 0.0f;
        for (int begin = 0; begin < K; begin += BUFFER) {
            int length = K - begin < BUFFER ? K - begin : BUFFER;
            if (first == 0 || K > BUFFER) {  // a row that fits stays where it is
                __syncthreads();
                for (int k = threadIdx.x; k < length; k += blockDim.x) piece[k] = A[row * K + begin + k];
                __syncthreads();
            }
            if (col < N)
                for (int k = 0; k < length; ++k) sum += piece[k] * B[(begin + k) * N + col];
        }
        if (col < N) C[row * N + col] = sum;
    }
}
