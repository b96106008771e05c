// PTX: %tid.x  %tid.y  %ctaid.x  %ntid.y  %nctaid.z
__device__ unsigned place(uint3 t, dim3 b) { return t.x + t.y * b.x + t.z * b.x * b.y; }
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    dim3 block = blockDim;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (unsigned)n) return;
    out[i] = place(threadIdx, block) + gridDim.z * 7 + blockIdx.y + threadIdx.y + blockDim.y + warpSize + in[i];
}
