// constant_divergence: lanes index a table of constant memory; mended: all lanes at one entry.
__constant__ float table_of_constants[1024];
extern "C" __global__ void planted_lane_constants(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 32; ++k) x += table_of_constants[(threadIdx.x * 7 + k * 13) & 1023];
    out[i] = x;
}
extern "C" __global__ void mended_lane_constants(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 32; ++k) x += table_of_constants[(blockIdx.x + k * 13) & 1023];
    out[i] = x;
}
