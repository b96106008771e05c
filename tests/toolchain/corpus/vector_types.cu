// PTX: ld.global.v4.f32|ld.global.nc.v4.f32  st.global.v4.f32  ld.global.v2.u32|ld.global.nc.v2.u32
struct alignas(16) Both { float2 a; int2 b; };
__global__ void rows(const float4* __restrict__ a, float4* b, const int2* c, int2* d, Both* e) {
    float4 v = a[threadIdx.x];
    b[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    int2 w = c[threadIdx.x];
    d[threadIdx.x] = make_int2(w.y, w.x);
    e[threadIdx.x] = Both{make_float2(v.x, v.y), w};
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 bytes = make_uchar4(in[i] & 255, (in[i] >> 8) & 255, (in[i] >> 16) & 255, in[i] >> 24);
    short2 halves = make_short2(bytes.x - 300, bytes.w);
    ulonglong2 wide = make_ulonglong2(in[i], in[i] * 5ull);
    double3 d = make_double3(1, bytes.y, 3);
    static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && sizeof(double3) == 24 && alignof(uchar2) == 2, "layout");
    out[i] = bytes.z + halves.x + halves.y + (unsigned)(wide.y >> 7) + (unsigned)d.y;
}
