// The numbers of the BLAS kernels: real, complex, and those that are only stored (half, bfloat16, bytes). A scalar comes by value or,
// where a program keeps it in device memory, by pointer.
#pragma once

template <class R> struct Complex {
    R x, y;
};
typedef Complex<float> complex32;
typedef Complex<double> complex64;
struct float16 { unsigned short bits; };
struct bfloat16 { unsigned short bits; };
struct int8 { signed char value; };

template <class R> static __device__ Complex<R> operator+(Complex<R> a, Complex<R> b) { return {a.x + b.x, a.y + b.y}; }
template <class R> static __device__ Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class R> static __device__ Complex<R> operator*(R a, Complex<R> b) { return {a * b.x, a * b.y}; }
template <class R> static __device__ bool operator==(Complex<R> a, Complex<R> b) { return a.x == b.x && a.y == b.y; }

template <class T> static __device__ T conjugate(T x) { return x; }
template <class R> static __device__ Complex<R> conjugate(Complex<R> z) { return {z.x, -z.y}; }
template <class T> static __device__ T negative(T x) { return -x; }
template <class R> static __device__ Complex<R> negative(Complex<R> z) { return {-z.x, -z.y}; }

/// A number as it is stored to what it is reckoned in, and back.
template <class A> static __device__ A load(A x) { return x; }
template <class A> static __device__ A load(float16 x) {
    float out;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x.bits));
    return out;
}
template <class A> static __device__ A load(bfloat16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
template <class A> static __device__ A load(int8 x) { return static_cast<A>(x.value); }
static __device__ void store(float& to, float x) { to = x; }
static __device__ void store(double& to, double x) { to = x; }
static __device__ void store(int& to, int x) { to = x; }
static __device__ void store(complex32& to, complex32 x) { to = x; }
static __device__ void store(complex64& to, complex64 x) { to = x; }
static __device__ void store(float16& to, float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x)); }
static __device__ void store(bfloat16& to, float x) {
    const unsigned bits = __float_as_uint(x);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    to.bits = nan ? 0x7fff : static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/// What each kind of number is measured in.
template <class T> struct RealOf { typedef T type; };
template <class R> struct RealOf<Complex<R>> { typedef R type; };
template <class T> using Real = typename RealOf<T>::type;

static __device__ float magnitude(float x) { return fabsf(x); }
static __device__ double magnitude(double x) { return fabs(x); }
/// BLAS measures a complex number by the sum of its parts.
template <class R> static __device__ R magnitude(Complex<R> z) { return magnitude(z.x) + magnitude(z.y); }

template <class T> struct Scalar {
    T value;
    const T* pointer;
    __device__ T get() const { return pointer ? *pointer : value; }
};

#define WW_FOR_EACH_NUMBER(make) make(f32, float) make(f64, double) make(c32, complex32) make(c64, complex64)
