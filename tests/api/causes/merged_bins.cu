// global_atomics: each block counts 256 numbers in bins of its own and merges all bins; mended: fewer blocks count more.
// mended_grid sms
__device__ void count_and_merge(int* bins, const unsigned* in, int n) {
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] >> 8 & 1023], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicAdd(&bins[k], own[k]);
}
extern "C" __global__ void planted_merged_bins(int* bins, const unsigned* in, int n) { count_and_merge(bins, in, n); }
extern "C" __global__ void mended_merged_bins(int* bins, const unsigned* in, int n) { count_and_merge(bins, in, n); }
