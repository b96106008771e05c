// Scratch memory is read before it is written.
// check: --grid 1 --block 64 --arg f32[64]=random --arg f32[64]=none
extern "C" __global__ void wrong(const float* in, float* scratch) {
    int t = threadIdx.x;
    scratch[t] += in[t];  // FINDING uninitialised
}
extern "C" __global__ void right(const float* in, float* scratch) {
    int t = threadIdx.x;
    scratch[t] = in[t];
    scratch[t] += in[t];
}
