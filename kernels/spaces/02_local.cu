// The table in local memory: its index is not known when the kernel is compiled.
extern "C" __global__ void from_local(const int* __restrict__ table, int* out, unsigned n, unsigned spread) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int own[32];
#pragma unroll 1
    for (unsigned k = 0; k < 32; ++k) own[(k + spread) & 31] = table[(k + spread) & 31];
    int sum = 0;
    for (unsigned k = 0; k < 32; ++k) sum += own[(k + threadIdx.x * spread) & 31];
    if (i < n) out[i] = sum + static_cast<int>(i);
}
