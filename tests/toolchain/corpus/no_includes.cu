// PTX: ex2.approx  fma.rn.f32  atom.global.add.f32
struct Parameters {
    float scale;
    int count;
    float offsets[5];
};
__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, float* total, const __grid_constant__ Parameters p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    float e = expf(x[i] * p.scale + p.offsets[i % 5]);
    y[i] = e * INFINITY == 0 ? 0 : e;
    atomicAdd(total, e);
}
extern "C" __global__ void __launch_bounds__(256, 2) test(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned v = in[i];
        long long w = v;
        unsigned char lo = v;
#pragma unroll 4
        for (int k = 0; k < 16; ++k) w += (v >> k) * k;
        out[i] = static_cast<unsigned>(w) + lo + min(3, (int)(v & 7));
    }
}
