// A kernel whose time grows with `rounds` whatever the memory does: between a copy to the device and a copy back it
// stands for the work of a program.
extern "C" __global__ void work(const float* in, float* out, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    float v = x;
    for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.999f, x);
    out[i] = v;
}
