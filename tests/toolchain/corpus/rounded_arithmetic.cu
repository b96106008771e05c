// PTX: add.rz.f32  sub.rm.f32  mul.rp.f32  div.rz.f32  fma.rm.f32  rcp.rp.f32  sqrt.rz.f32  add.rm.f64  mul.rp.f64  div.rz.f64
// PTX: fma.rn.f64  rcp.rn.f64  sqrt.rm.f64
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = (int)in[i] * 1e-3f, b = (int)in[(i + 1) % n] * 1e-4f, c = (int)in[(i + 2) % n] * 7e-3f, p = a < 0 ? -a : a;
    double x = a * 1.0000001, y = b * 1.0000001, z = c, q = p;
    unsigned r = 0;
#define F(e) r = r * 31 + __float_as_uint(e);
#define D(e) r = r * 31 + (unsigned)__double2loint(e) + __double2hiint(e);
    F(__fadd_rn(a, b)) F(__fadd_rz(a, b)) F(__fadd_rd(a, b)) F(__fadd_ru(a, b)) F(__fsub_rd(a, b)) F(__fmul_ru(a, b))
    F(__fmul_rn(a, b)) F(__fdiv_rn(a, b)) F(__fdiv_rz(a, b)) F(__fdiv_ru(a, b)) F(__fmaf_rn(a, b, c)) F(__fmaf_rd(a, b, c))
    F(__fmaf_rz(a, b, c)) F(__fmaf_ru(a, b, c)) F(__frcp_rn(a)) F(__frcp_ru(a)) F(__fsqrt_rn(p)) F(__fsqrt_rz(p)) F(__frsqrt_rn(p))
    D(__dadd_rn(x, y)) D(__dadd_rd(x, y)) D(__dsub_ru(x, y)) D(__dmul_ru(x, y)) D(__ddiv_rz(x, y)) D(__fma_rn(x, y, z))
    D(__fma_rd(x, y, z)) D(__drcp_rn(x)) D(__dsqrt_rd(q)) D(__dsqrt_rn(q)) D(__ddiv_rn(x, y))
    F(__fadd_rn(__fmul_rn(a, b), c))
    out[i] = r;
}
