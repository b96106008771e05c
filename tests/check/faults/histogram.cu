// Counting without atomics.
// check: --grid 4 --block 128 --arg i32[512]=random(0,15) --arg i32[16]=zero
extern "C" __global__ void wrong(const int* in, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[in[i] & 15] += 1;  // FINDING race-global race-lanes
}
extern "C" __global__ void right(const int* in, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 15], 1);
}
