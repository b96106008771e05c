// Type punning and the integer intrinsics.
#pragma once

WW_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WW_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
WW_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WW_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
WW_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WW_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WW_DEVICE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
WW_DEVICE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
WW_DEVICE double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(
        (static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32) | static_cast<unsigned int>(lo)));
}

WW_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
WW_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WW_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
WW_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
WW_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
WW_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WW_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
WW_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
WW_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    unsigned int r;
    __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}

WW_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
    return __nvvm_prmt(a, b, selector & 0x7777u);
}
WW_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
WW_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
WW_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    __asm__("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
WW_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    __asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}

WW_DEVICE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
WW_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
WW_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WW_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
// As nvcc writes them: no device since Fermi has an instruction for 24 bits.
WW_DEVICE int __mul24(int a, int b) {
    return (static_cast<int>(static_cast<unsigned int>(a) << 8) >> 8) *
           (static_cast<int>(static_cast<unsigned int>(b) << 8) >> 8);
}
WW_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
WW_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
    unsigned int r;
    __asm__("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
WW_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    __asm__("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
// Averages without overflow: shared bits plus half of the differing ones (h: rounded down, rh: rounded up).
WW_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
WW_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
WW_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
WW_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }

// Dot products of packed bytes (and of 16-bit halves with bytes) with a 32-bit accumulator.
WW_DEVICE int __dp4a(int a, int b, int c) {
    int r;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE int __dp4a(char4 a, char4 b, int c) {
    int r;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    unsigned int r;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE int __dp2a_lo(int a, int b, int c) {
    int r;
    __asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE int __dp2a_lo(short2 a, char4 b, int c) {
    int r;
    __asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    __asm__("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
    unsigned int r;
    __asm__("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE int __dp2a_hi(int a, int b, int c) {
    int r;
    __asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE int __dp2a_hi(short2 a, char4 b, int c) {
    int r;
    __asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    __asm__("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
WW_DEVICE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
    unsigned int r;
    __asm__("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));
    return r;
}
