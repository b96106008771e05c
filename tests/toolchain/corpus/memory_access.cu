// PTX: ld.global.nc.u32|ld.global.nc.f32  ld.global.cg.u32  ld.global.cs  ld.global.cv  ld.global.ca  st.global.cg  st.global.cs
// PTX: st.global.wt  st.global.wb  membar.gl  membar.cta  membar.sys  ld.global.nc.v4  ld.volatile.global
__constant__ unsigned table[64] = {1, 2, 3};
__device__ unsigned counter;
__device__ __managed__ int managed = 5;
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r = __ldg(in + i) + __ldcg(in + (i + 1) % n) + __ldcs(in + (i + 2) % n) + __ldca(in + (i + 3) % n) + __ldcv(in + (i + 4) % n) + table[i & 63];
    if ((size_t)(in + (i & ~3) + 4) <= (size_t)(in + n)) {
        uint4 v = __ldg(reinterpret_cast<const uint4*>(in) + i / 4);
        uint2 w = __ldcg(reinterpret_cast<const uint2*>(in) + i / 4);
        r += v.x + v.w + w.y;
    }
    volatile unsigned* q = out;
    __stcg(out + i, r);
    __threadfence();
    r += q[i] & 15;
    __threadfence_block();
    __stcs(out + i, r);
    __threadfence_system();
    __stwt(out + i, r + (unsigned)managed);
    r = out[i];
    __stwb(out + i, r + 1);
}
