// BLAS level 1: operations on vectors of any stride. The first element is at the pointer, also where the stride is negative. Sums, norms
// and extremes go over two launches, the first leaving a partial result of each block, so results do not depend on timing.
#include "number.cuh"

#define THREADS 256
#define WW_EACH(i, n)    \
    _Pragma("unroll 1") for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < (n); i += (long long)gridDim.x * THREADS)

template <class T> static __device__ void axpy(long long n, Scalar<T> alpha, const T* x, long long incx, T* y, long long incy) {
    const T a = alpha.get();
    WW_EACH(i, n) y[i * incy] = a * x[i * incx] + y[i * incy];
}
template <class T, class S> static __device__ void scale(long long n, Scalar<S> alpha, T* x, long long incx) {
    const S a = alpha.get();
    WW_EACH(i, n) x[i * incx] = a * x[i * incx];
}
template <class T> static __device__ void copy(long long n, const T* x, long long incx, T* y, long long incy) {
    WW_EACH(i, n) y[i * incy] = x[i * incx];
}
template <class T> static __device__ void swap(long long n, T* x, long long incx, T* y, long long incy) {
    WW_EACH(i, n) {
        const T t = x[i * incx];
        x[i * incx] = y[i * incy];
        y[i * incy] = t;
    }
}
template <class T, class S>
static __device__ void rotate(long long n, T* x, long long incx, T* y, long long incy, Scalar<Real<T>> cosine, Scalar<S> sine) {
    const Real<T> c = cosine.get();
    const S s = sine.get();
    WW_EACH(i, n) {
        const T a = x[i * incx], b = y[i * incy];
        x[i * incx] = c * a + s * b;
        y[i * incy] = c * b + negative(conjugate(s)) * a;
    }
}

// What is reduced: how an element enters, how two partial results are joined, and what comes out.
template <class T> struct Sum {
    T value;
    static __device__ Sum none() { return {T{}}; }
    __device__ Sum operator+(Sum b) const { return {value + b.value}; }
    __device__ void put(T* to) const { *to = value; }
};
template <class R> struct Magnitudes : Sum<R> {};
/// A sum of squares that neither overflows nor vanishes on the way: scale^2 * sum.
template <class R> struct Squares {
    R scale, sum;
    static __device__ Squares none() { return {0, 0}; }
    static __device__ Squares of(R x) {
        x = magnitude(x);
        return x == 0 ? none() : Squares{x, 1};
    }
    __device__ Squares operator+(Squares b) const {
        if (b.sum == 0) return *this;
        if (sum == 0) return b;
        if (!(scale < b.scale)) {
            const R q = b.scale / scale;
            return {scale, sum + (scale == b.scale ? b.sum : b.sum * q * q)};
        }
        const R q = scale / b.scale;
        return {b.scale, b.sum + sum * q * q};
    }
    __device__ void put(R* to) const { *to = scale * sqrt(sum); }
};
/// The first element of the largest (smallest) magnitude; its number counts from 1, and 0 stands for none.
template <class R, bool largest> struct Extreme {
    R value;
    long long place;
    static __device__ Extreme none() { return {0, 0}; }
    __device__ Extreme operator+(Extreme b) const {
        if (b.place == 0) return *this;
        if (place == 0) return b;
        if (value == b.value) return place < b.place ? *this : b;
        return (largest ? value > b.value : value < b.value) ? *this : b;
    }
    __device__ void put(long long* to) const { *to = place; }
};

template <class P> static __device__ P of_block(P mine) {
    __shared__ __align__(16) unsigned char memory[THREADS * sizeof(P)];
    P* all = reinterpret_cast<P*>(memory);
    all[threadIdx.x] = mine;
    __syncthreads();
#pragma unroll 1
    for (unsigned s = THREADS / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) all[threadIdx.x] = all[threadIdx.x] + all[threadIdx.x + s];
        __syncthreads();
    }
    return all[0];
}
template <class P, class To> static __device__ void finish(const P* parts, int count, To* to) {
    P mine = P::none();
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += THREADS) mine = mine + parts[i];
    mine = of_block(mine);
    if (threadIdx.x == 0) mine.put(to);
}
#define WW_REDUCE(P, element)                \
    P mine = P::none();                      \
    WW_EACH(i, n) mine = mine + (element);   \
    mine = of_block(mine);                   \
    if (threadIdx.x == 0) parts[blockIdx.x] = mine;

template <class T> static __device__ Squares<Real<T>> squares(T x) { return Squares<Real<T>>::of(x); }
template <class R> static __device__ Squares<R> squares(Complex<R> z) { return Squares<R>::of(z.x) + Squares<R>::of(z.y); }

#define WW_KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define WW_VECTORS(name, T)                                                                                                             \
    WW_KERNEL blas_axpy_##name(long long n, Scalar<T> alpha, const T* x, long long incx, T* y, long long incy) { axpy(n, alpha, x, incx, y, incy); } \
    WW_KERNEL blas_scal_##name(long long n, Scalar<T> alpha, T* x, long long incx) { scale(n, alpha, x, incx); }                        \
    WW_KERNEL blas_copy_##name(long long n, const T* x, long long incx, T* y, long long incy) { copy(n, x, incx, y, incy); }            \
    WW_KERNEL blas_swap_##name(long long n, T* x, long long incx, T* y, long long incy) { swap(n, x, incx, y, incy); }                  \
    WW_KERNEL blas_rot_##name(long long n, T* x, long long incx, T* y, long long incy, Scalar<Real<T>> c, Scalar<T> s) {                \
        rotate(n, x, incx, y, incy, c, s);                                                                                              \
    }                                                                                                                                   \
    WW_KERNEL blas_dot_##name(long long n, const T* x, long long incx, const T* y, long long incy, int conj, Sum<T>* parts) {           \
        WW_REDUCE(Sum<T>, (Sum<T>{(conj ? conjugate(x[i * incx]) : x[i * incx]) * y[i * incy]}))                                        \
    }                                                                                                                                   \
    WW_KERNEL blas_dot_end_##name(const Sum<T>* parts, int count, T* to) { finish(parts, count, to); }                                  \
    WW_KERNEL blas_asum_##name(long long n, const T* x, long long incx, Sum<Real<T>>* parts) {                                          \
        WW_REDUCE(Sum<Real<T>>, (Sum<Real<T>>{magnitude(x[i * incx])}))                                                                 \
    }                                                                                                                                   \
    WW_KERNEL blas_nrm2_##name(long long n, const T* x, long long incx, Squares<Real<T>>* parts) {                                      \
        WW_REDUCE(Squares<Real<T>>, squares(x[i * incx]))                                                                               \
    }                                                                                                                                   \
    WW_KERNEL blas_amax_##name(long long n, const T* x, long long incx, Extreme<Real<T>, true>* parts) {                                \
        typedef Extreme<Real<T>, true> E;                                                                                               \
        WW_REDUCE(E, (E{magnitude(x[i * incx]), i + 1}))                                                                                \
    }                                                                                                                                   \
    WW_KERNEL blas_amin_##name(long long n, const T* x, long long incx, Extreme<Real<T>, false>* parts) {                               \
        typedef Extreme<Real<T>, false> E;                                                                                              \
        WW_REDUCE(E, (E{magnitude(x[i * incx]), i + 1}))                                                                                \
    }
WW_FOR_EACH_NUMBER(WW_VECTORS)

#define WW_ENDS(name, R)                                                                                                         \
    WW_KERNEL blas_asum_end_##name(const Sum<R>* parts, int count, R* to) { finish(parts, count, to); }                          \
    WW_KERNEL blas_nrm2_end_##name(const Squares<R>* parts, int count, R* to) { finish(parts, count, to); }                      \
    WW_KERNEL blas_amax_end_##name(const Extreme<R, true>* parts, int count, long long* to) { finish(parts, count, to); }        \
    WW_KERNEL blas_amin_end_##name(const Extreme<R, false>* parts, int count, long long* to) { finish(parts, count, to); }
WW_ENDS(f32, float)
WW_ENDS(f64, double)

// Complex vectors by real numbers.
WW_KERNEL blas_scal_real_c32(long long n, Scalar<float> alpha, complex32* x, long long incx) { scale(n, alpha, x, incx); }
WW_KERNEL blas_scal_real_c64(long long n, Scalar<double> alpha, complex64* x, long long incx) { scale(n, alpha, x, incx); }
WW_KERNEL blas_rot_real_c32(long long n, complex32* x, long long incx, complex32* y, long long incy, Scalar<float> c, Scalar<float> s) {
    rotate(n, x, incx, y, incy, c, s);
}
WW_KERNEL blas_rot_real_c64(long long n, complex64* x, long long incx, complex64* y, long long incy, Scalar<double> c, Scalar<double> s) {
    rotate(n, x, incx, y, incy, c, s);
}

// Vectors of 16-bit numbers, with arithmetic in float.
template <class P, class To> static __device__ void finish_stored(const P* parts, int count, To* to) {
    __shared__ float result;
    finish(parts, count, &result);
    if (threadIdx.x == 0) store(*to, result);
}
#define WW_STORED(name, T)                                                                                                          \
    WW_KERNEL blas_axpy_##name(long long n, Scalar<float> alpha, const T* x, long long incx, T* y, long long incy) {                \
        const float a = alpha.get();                                                                                                \
        WW_EACH(i, n) store(y[i * incy], a * load<float>(x[i * incx]) + load<float>(y[i * incy]));                                  \
    }                                                                                                                               \
    WW_KERNEL blas_scal_##name(long long n, Scalar<float> alpha, T* x, long long incx) {                                            \
        const float a = alpha.get();                                                                                                \
        WW_EACH(i, n) store(x[i * incx], a * load<float>(x[i * incx]));                                                             \
    }                                                                                                                               \
    WW_KERNEL blas_dot_##name(long long n, const T* x, long long incx, const T* y, long long incy, int, Sum<float>* parts) {        \
        WW_REDUCE(Sum<float>, (Sum<float>{load<float>(x[i * incx]) * load<float>(y[i * incy])}))                                    \
    }                                                                                                                               \
    WW_KERNEL blas_dot_end_##name(const Sum<float>* parts, int count, T* to) { finish_stored(parts, count, to); }                   \
    WW_KERNEL blas_nrm2_##name(long long n, const T* x, long long incx, Squares<float>* parts) {                                    \
        WW_REDUCE(Squares<float>, squares(load<float>(x[i * incx])))                                                                \
    }                                                                                                                               \
    WW_KERNEL blas_nrm2_end_##name(const Squares<float>* parts, int count, T* to) { finish_stored(parts, count, to); }
WW_STORED(f16, float16)
WW_STORED(bf16, bfloat16)
