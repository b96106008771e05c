// An optional output that is not optional.
// check: --grid 1 --block 32 --arg f32[32]=random --arg ptr:null
extern "C" __global__ void wrong(const float* in, float* out) {
    float x = in[threadIdx.x];
    out[threadIdx.x] = x;  // FINDING null-pointer
}
extern "C" __global__ void right(const float* in, float* out) {
    float x = in[threadIdx.x];
    if (out) out[threadIdx.x] = x;
}
