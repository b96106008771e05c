// Each lane sums up the same numbers in its own order, and all store their sum: it differs by rounding, and whose stays does
// not matter. Two sums of different numbers are another thing, and so are whole numbers whose bits look alike. A store that has
// no type (st.b32) is of what has computed its value.
// check: --grid 1 --block 64 --arg f32[64]=random(0,1) --arg f32[64]=zero
__device__ float sum_of_lanes(float x) {
    float sum = x * x;
    sum = fmaf(x, x, __shfl_xor_sync(0xffffffffu, sum, 16));
    for (int k = 8; k; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    return sum;
}
#define STORE_BITS(to, value) \
    asm volatile("st.shared.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "r"(value) : "memory")
extern "C" __global__ void wrong(const float* in, float* out) {
    __shared__ float sum[2];
    const int t = threadIdx.x;
    const float mine = sum_of_lanes(in[t]) + t % 32 * 0.01f;
    sum[t / 32] = mine;  // FINDING race-lanes
    __shared__ int whole[2];
    whole[t / 32] = 0x3f800000 + t % 2;  // FINDING race-lanes
    __shared__ int bits[2];
    STORE_BITS(bits + t / 32, 0x3f800000 + t % 2);  // FINDING race-lanes
    __syncthreads();
    out[t] = sum[0] + sum[1] + whole[0] + whole[1] + bits[0] + bits[1];
}
extern "C" __global__ void right(const float* in, float* out) {
    __shared__ float sum[2];
    const int t = threadIdx.x;
    sum[t / 32] = sum_of_lanes(in[t]);
    __shared__ int bits[2];
    STORE_BITS(bits + t / 32, __float_as_int(sum_of_lanes(in[t])));
    __syncthreads();
    float both = sum[0] + sum[1] + __int_as_float(bits[0]) + __int_as_float(bits[1]);
    __syncthreads();
    sum[0] = t < 32 ? 1.0f : 1.0000001f;  // two warps
    __syncthreads();
    out[t] = both + sum[0] * 0;
}
