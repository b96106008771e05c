// PTX: popc.b32  popc.b64  clz.b32  brev.b32  prmt.b32  shf.l.wrap.b32  shf.r.clamp.b32  mul.hi.u32|mul.wide.u32
// PTX: mul.hi.u64  sad.u32  dp4a.s32.s32  dp4a.u32.u32  dp2a.lo.s32.s32
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    unsigned long long w = ((unsigned long long)a << 32) | b, v = ((unsigned long long)b << 32) | c;
    unsigned r = __popc(a) + 3 * __popcll(w) + 5 * __clz((int)b) + 7 * __clzll((long long)v) + 11 * __ffs((int)c) +
                 13 * __ffsll((long long)w) + 17 * __clz(0) + 19 * __ffs(0);
    r ^= __brev(a) ^ (unsigned)__brevll(w) ^ __byte_perm(a, b, c);
    r += __funnelshift_l(a, b, c) ^ __funnelshift_r(a, b, c) ^ __funnelshift_lc(a, b, c & 63) ^ __funnelshift_rc(a, b, c & 63);
    r ^= __mulhi((int)a, (int)b) + __umulhi(a, b) + (unsigned)__mul64hi((long long)w, (long long)v) + (unsigned)__umul64hi(w, v);
    r += __mul24((int)a, (int)b) ^ __umul24(a, b) ^ __sad((int)a, (int)b, c) ^ __usad(a, b, c);
    r ^= __hadd((int)a, (int)b) + __rhadd((int)a, (int)b) + __uhadd(a, b) + __urhadd(a, b);
    r += __dp4a((int)a, (int)b, (int)c) ^ __dp4a(a, b, c) ^ __dp2a_lo((int)a, (int)b, (int)c) ^ __dp2a_hi(a, b, c);
    r ^= min((int)a, (int)b) + max(a, b) + min((long long)w, (long long)v) + max(w, v) + abs((int)a) + (unsigned)llabs((long long)v);
    r += a / (b | 1) + (int)a / ((int)c | 1) + a % (c | 1) + (unsigned)(w / (v | 1)) + (unsigned)((long long)w % ((long long)c | 1));
    out[i] = r;
}
