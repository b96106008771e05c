// As in_order, but within a warp lane k takes the element of lane 7 k + 3 (mod 32), which is another one for every k.
extern "C" __global__ void permuted(const int* in, int* out, unsigned n, unsigned stride, unsigned offset) {
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned i = (own & ~31u) | ((own * 7 + 3) & 31);
    if (i < n) out[i] = in[static_cast<unsigned long long>(i) * stride + offset];
}
