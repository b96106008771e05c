// The usual forgotten test of the index: the last block reaches past the end.
// check: --grid 5 --block 256 --arg f32[1000]=random --arg f32[1000]=zero --arg 1000
extern "C" __global__ void wrong(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];  // FINDING out-of-bounds
    out[i] = 2 * x;   // FINDING out-of-bounds
}
extern "C" __global__ void right(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    out[i] = 2 * x;
}
