// barriers: running sums of 32 numbers each in shared memory with two barriers a step; mended: by shuffles.
// block 1024; grid 256
extern "C" __global__ void planted_segment_scan(float* out, const float* in, int n) {
    __shared__ float s[1024];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 1024 + t;
    float v = in[i];
    for (int r = 0; r < 4; ++r) {
        s[t] = v;
        __syncthreads();
        for (int d = 1; d < 32; d *= 2) {
            float x = lane >= d ? s[t - d] : 0.0f;
            __syncthreads();
            s[t] += x;
            __syncthreads();
        }
        v = s[t] * 0.5f;
    }
    out[i] = v;
}
extern "C" __global__ void mended_segment_scan(float* out, const float* in, int n) {
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 1024 + t;
    float v = in[i];
    for (int r = 0; r < 4; ++r) {
        for (int d = 1; d < 32; d *= 2) {
            float x = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += x;
        }
        v *= 0.5f;
    }
    out[i] = v;
}
