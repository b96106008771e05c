// The last warp trusts that its lanes move in step.
// check: --grid 2 --block 128 --arg i32[256]=iota --arg i32[2]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int data[128];
    volatile int* s = data;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) s[t] = s[t] + s[t + 64];
    __syncthreads();
    if (t < 32) {
        s[t] = s[t] + s[t + 32];
        s[t] = s[t] + s[t + 16];  // FINDING race-lanes
        s[t] = s[t] + s[t + 8];   // FINDING race-lanes
        s[t] = s[t] + s[t + 4];   // FINDING race-lanes
        s[t] = s[t] + s[t + 2];   // FINDING race-lanes
        s[t] = s[t] + s[t + 1];   // FINDING race-lanes
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) s[t] = s[t] + s[t + 64];
    __syncthreads();
    if (t < 32) {
        int x = s[t] + s[t + 32];
        for (int k = 16; k > 0; k /= 2) {
            __syncwarp();
            s[t] = x;
            __syncwarp();
            x += s[(t + k) & 31];
        }
        if (t == 0) out[blockIdx.x] = x;
    }
}
