// PTX: lop3.b32  bfe.u32  ldmatrix.sync.aligned.m8n8.x4.shared.b16  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32  %lanemask_lt
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    __shared__ alignas(16) unsigned short tile[32 * 8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned v = in[i % n], r, lanes, a0, a1, a2, a3;
    for (int k = t; k < 256; k += blockDim.x) tile[k] = (unsigned short)(0x3c00 + (in[k % n] & 0x3ff));
    __syncthreads();
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(v), "r"(v >> 3), "r"(v << 5));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
    asm("bfe.u32 %0, %0, 3, 20;" : "+r"(r));
    if (t < 32) {
        unsigned address = (unsigned)__cvta_generic_to_shared(&tile[(t % 32) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(address));
        float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a0), "r"(a2));
        r += (unsigned)(d0 * 64) + (unsigned)(d1 * 64) + (unsigned)d2 + (unsigned)d3;
    }
    if (i < n) out[i] = r + __popc(lanes);
}
