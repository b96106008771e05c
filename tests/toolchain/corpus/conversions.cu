// PTX: cvt.rni.s32.f32  cvt.rmi.u32.f32  cvt.rpi.s64.f64  cvt.rz.f32.s32  cvt.rm.f32.u64  cvt.rp.f64.s64  cvt.rn.f32.f64
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = in[i];
    float f = __uint_as_float(a), g = (int)a * 1e-5f;
    double d = __hiloint2double((int)a, (int)in[(i + 1) % n]), e = (int)a * 1.00001;
    unsigned r = __float2int_rn(f) + __float2int_rz(g) + __float2int_rd(g) + __float2int_ru(g) + __float2uint_rn(g) + __float2uint_rd(f);
    r = r * 7 + (unsigned)(__float2ll_rn(f) ^ __float2ull_rz(g)) + (unsigned)(__double2ll_ru(e) ^ __double2ull_rn(d));
    r = r * 7 + __double2int_rn(e) + __double2uint_rz(d) + __double2int_rd(e) + __double2int_ru(e);
    r = r * 7 + __float_as_uint(__int2float_rn((int)a)) + __float_as_uint(__int2float_rz((int)a)) + __float_as_uint(__uint2float_ru(a));
    unsigned long long w = ((unsigned long long)a << 32) | in[(i + 1) % n];
    r = r * 7 + __float_as_uint(__ull2float_rd(w)) + __float_as_uint(__ll2float_rn((long long)w)) +
        __double2loint(__ll2double_ru((long long)w)) + __double2hiint(__ull2double_rz(w));
    float h = __double2float_rn(e) + __double2float_rz(e) + __double2float_ru(e) + __double2float_rd(e);
    r = r * 7 + __float_as_uint(h) + __double2loint(e) + (unsigned)__double_as_longlong(__longlong_as_double((long long)w));
    r = r * 7 + (unsigned)lrintf(g) + (unsigned)lroundf(g) + (unsigned)llrint(e) + (unsigned)llround(e) + __float_as_uint(__saturatef(g));
    r = r * 7 + (unsigned)(signed char)(g * 1e-3f) + (unsigned)(unsigned char)((a & 1023) * 0.2f) + (unsigned)(short)(int)e;
    out[i] = r;
}
