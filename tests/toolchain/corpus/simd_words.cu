// PTX: vabsdiff4.u32.u32.u32
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = in[i], b = in[(i + 1) % n], r = 0;
#define USE(f) r = r * 31 + f(a, b);
    USE(__vadd4) USE(__vadd2) USE(__vsub4) USE(__vsub2) USE(__vaddss4) USE(__vaddus4) USE(__vsubss4) USE(__vsubus4)
    USE(__vaddss2) USE(__vaddus2) USE(__vsubss2) USE(__vsubus2) USE(__vavgs4) USE(__vavgu4) USE(__vavgs2) USE(__vavgu2)
    USE(__vhaddu4) USE(__vhaddu2) USE(__vabsdiffs4) USE(__vabsdiffu4) USE(__vabsdiffs2) USE(__vabsdiffu2)
    USE(__vmaxs4) USE(__vmaxu4) USE(__vmins4) USE(__vminu4) USE(__vmaxs2) USE(__vmaxu2) USE(__vmins2) USE(__vminu2)
    USE(__vcmpeq4) USE(__vcmpne4) USE(__vcmpges4) USE(__vcmpgtu4) USE(__vcmples2) USE(__vcmpltu2) USE(__vcmpgts2)
    USE(__vseteq4) USE(__vsetne2) USE(__vsetgeu4) USE(__vsetgts4) USE(__vsetles2) USE(__vsetltu2)
    USE(__vsads4) USE(__vsadu4) USE(__vsads2) USE(__vsadu2)
#undef USE
    r = r * 31 + __vabs4(a);
    r = r * 31 + __vabsss4(a);
    r = r * 31 + __vneg4(a);
    r = r * 31 + __vnegss2(a);
    r = r * 31 + __vabs2(b);
    out[i] = r;
}
