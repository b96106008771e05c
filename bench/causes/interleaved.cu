// uncoalesced_store: complex numbers are stored part by part, after work on each; mended: both at once.
extern "C" __global__ void planted_interleaved(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        const int at = k * n + i;
        out[2 * at] = in[at] * in[4 * n + at];
        out[2 * at + 1] = in[at] + in[4 * n + at];
    }
}
extern "C" __global__ void mended_interleaved(float2* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        const int at = k * n + i;
        out[at] = make_float2(in[at] * in[4 * n + at], in[at] + in[4 * n + at]);
    }
}
