// PTX: sqrt.rn.f32  fma.rn.f32
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value, T> scaled(T x) { return x * T(0.5); }
template <class T> __device__ std::enable_if_t<std::is_integral<T>::value, T> scaled(T x) { return x >> 1; }
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint32_t a = in[i];
    float f = (a & 0xffff) * 0.25f;  // exact, so that contraction changes nothing
    std::int64_t w = INT64_C(3) * a;
    float r = std::sqrt(f) + std::fabs(-f) + std::floor(f) + std::fma(f, 2.0f, 1.0f) + std::abs(-f) + std::fmax(f, 3.0f);
    unsigned char bytes[4];
    memcpy(bytes, &a, 4);
    memset(bytes, 7, 2);
    double d = std::floor(f * 3.0) + scaled(8.0) + std::sqrt(4.0) + std::isnan(f) + std::round(2.5);
    out[i] = __float_as_uint(r) + (unsigned)(w >> 3) + bytes[0] + bytes[3] + scaled(a) + (unsigned)(d * 4) + (FLT_MAX > f) + (UINT_MAX == a) + std::numeric_limits<short>::digits;
}
