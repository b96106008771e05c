// Many threads write the same word. The same value: no harm. Different ones: whose stays is chance.
// check: --grid 4 --block 64 --arg i32[256]=iota --arg i32[1]=zero
extern "C" __global__ void wrong(const int* in, int* found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 100) *found = i;  // FINDING race-global race-lanes
}
extern "C" __global__ void right(const int* in, int* found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 100) *found = 1;
}
