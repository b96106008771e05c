// Transforms of 512 complex numbers each (Stockham, radix 2, in shared memory): a block of 256 threads has one. turns has
// exp(-2 pi i k / 512) for k < 256.
extern "C" __global__ void fft(const float2* in, float2* out, const float2* turns) {
    __shared__ float2 data[2][512];
    int thread = threadIdx.x, now = 0;
    in += blockIdx.x * 512;
    out += blockIdx.x * 512;
    data[0][thread] = in[thread];
    data[0][thread + 256] = in[thread + 256];
    __syncthreads();
    for (int half = 1; half < 512; half *= 2) {
        int k = thread & half - 1, to = (thread - k) * 2 + k;
        float2 a = data[now][thread], b = data[now][thread + 256], w = turns[k * (256 / half)];
        float re = b.x * w.x - b.y * w.y, im = b.x * w.y + b.y * w.x;
        now = 1 - now;
        data[now][to] = make_float2(a.x + re, a.y + im);
        data[now][to + half] = make_float2(a.x - re, a.y - im);
        __syncthreads();
    }
    out[thread] = data[now][thread];
    out[thread + 256] = data[now][thread + 256];
}
