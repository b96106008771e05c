// Instructions that only inline assembly reaches without headers: warp, matrix, asynchronous copy, carry chains.
#include "tiny_cuda.h"

extern "C" __global__ void warp(unsigned* out, const unsigned* in) {
    unsigned v = in[threadIdx.x], a, b, c, d, e;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 0x1f, 0xffffffff;" : "=r"(a) : "r"(v));
    asm volatile("{\n\t.reg .pred p;\n\tshfl.sync.down.b32 %0|p, %1, 1, 31, -1;\n\t@!p mov.b32 %0, 0;\n\t}" : "=r"(b) : "r"(v));
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
                 "vote.sync.any.pred q, !p, -1;\n\tselp.b32 %0, %0, 1, q;\n\t}"
                 : "=r"(c)
                 : "r"(v));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(v));
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(e) : "r"(v));
    asm volatile("bar.warp.sync 0xffffffff;");
    asm volatile("activemask.b32 %0;" : "=r"(v));
    out[threadIdx.x] = a + b * 3 + c * 5 + d * 7 + e * 11 + v;
}

extern "C" __global__ void matrix(float* out, const unsigned* in) {
    __shared__ __attribute__((aligned(16))) unsigned tile[256];
    unsigned where;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(where) : "l"(tile));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(where + threadIdx.x * 16), "l"(in + threadIdx.x * 4));
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;");
    asm volatile("bar.sync 0;");
    unsigned a0, a1, a2, a3, b0, b1;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                 : "r"(where));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2+512];" : "=r"(b0), "=r"(b1) : "r"(where));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    out[threadIdx.x] = c0 + c1 + c2 + c3;
}

extern "C" __global__ void carry(unsigned* out, const unsigned* a, const unsigned* b) {
    unsigned r0, r1, r2, r3;
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
        : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("mad.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.u32 %1, %2, %3, %1;" : "+r"(r0), "+r"(r1) : "r"(a[4]), "r"(b[4]));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(r2) : "r"(a[5]), "r"(b[5]));
    asm("vadd.s32.s32.s32 %0, %1.b2, %2.h1;" : "=r"(r3) : "r"(a[6]), "r"(b[6]));
    asm("dp4a.s32.u32 %0, %1, %2, %0;" : "+r"(r3) : "r"(a[7]), "r"(b[7]));
    asm("shf.l.wrap.b32 %0, %1, %2, 5;" : "=r"(r0) : "r"(r0), "r"(r1));
    asm("bfe.s32 %0, %1, 3, 7;" : "=r"(r1) : "r"(r2));
    out[0] = r0 ^ r1 ^ r2 ^ r3;
}

extern "C" __global__ void halves(unsigned short* h, unsigned* packed, const float* f) {
    float x = f[0], y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h[0]) : "f"(x));
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(h[1]));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed[0]) : "f"(x), "f"(y));
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(packed[1]) : "r"(packed[2]), "r"(packed[3]), "r"(packed[4]));
    asm("{\n\t.reg .b16 lo, hi;\n\tmov.b32 {lo, hi}, %1;\n\tmov.b32 %0, {hi, lo};\n\t}" : "=r"(packed[5]) : "r"(packed[6]));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    packed[7] = (unsigned)y;
}
