// Each row of `columns` floats becomes its softmax; a block of 256 threads has a row, and sums in shared memory.
static __device__ float over_block(float* part, float mine, bool largest) {
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int width = 128; width > 0; width /= 2) {
        if (threadIdx.x < width) {
            float other = part[threadIdx.x + width];
            part[threadIdx.x] = largest ? fmaxf(part[threadIdx.x], other) : part[threadIdx.x] + other;
        }
        __syncthreads();
    }
    float all = part[0];
    __syncthreads();
    return all;
}

extern "C" __global__ void softmax(const float* in, float* out, int columns) {
    __shared__ float part[256];
    const float* row = in + blockIdx.x * columns;
    float top = row[threadIdx.x];
    for (int k = threadIdx.x; k < columns; k += 256) top = fmaxf(top, row[k]);
    top = over_block(part, top, true);
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += 256) sum += expf(row[k] - top);
    sum = over_block(part, sum, false);
    for (int k = threadIdx.x; k < columns; k += 256) out[blockIdx.x * columns + k] = expf(row[k] - top) / sum;
}
