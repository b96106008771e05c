// Thread i takes element i * stride + offset.
extern "C" __global__ void in_order(const int* in, int* out, unsigned n, unsigned stride, unsigned offset) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[static_cast<unsigned long long>(i) * stride + offset];
}
