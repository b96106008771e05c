// Transforms of a few elements, from which those of a line are made.
#pragma once

#include "pass.cuh"

namespace ww_fft {

template <class T>
__device__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
    return {a.x + b.x, a.y + b.y};
}
template <class T>
__device__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
    return {a.x - b.x, a.y - b.y};
}
template <class T>
__device__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class T>
__device__ Complex<T> conjugate_if(bool wanted, Complex<T> a) {
    return {a.x, wanted ? -a.y : a.y};
}
/// a times -i, or times i in the inverse direction.
template <class T>
__device__ Complex<T> quarter_turn(bool inverse, Complex<T> a) {
    return inverse ? Complex<T>{-a.y, a.x} : Complex<T>{a.y, -a.x};
}

/// The roots of one of a line's length, in the direction of the transform.
template <class T>
struct Roots {
    const Complex<T>* all;
    u32 length;
    int inverse;
    __device__ Complex<T> operator[](u32 k) const { return conjugate_if(inverse, all[k]); }
};

/// Where a butterfly of radix R stands: it reads `b + s * each` and writes `(b - k) * R + k + q * done`, where the
/// product of the radices that are `done` is the length of the transforms so far, and k = b mod done.
struct Place {
    u32 b, k, done, each;
};

template <class T>
__device__ void transform(Complex<T> (&v)[2], int) {
    const Complex<T> a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
}
template <class T>
__device__ void transform(Complex<T> (&v)[4], int inverse) {
    const Complex<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = quarter_turn(inverse, v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
}
template <class T>
__device__ void transform(Complex<T> (&v)[8], int inverse) {
    Complex<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    transform(even, inverse);
    transform(odd, inverse);
    const T half = (T)0.70710678118654752440;
    odd[1] = odd[1] * Complex<T>{half, inverse ? half : -half};
    odd[2] = quarter_turn(inverse, odd[2]);
    odd[3] = odd[3] * Complex<T>{-half, inverse ? half : -half};
    for (int q = 0; q < 4; ++q) {
        v[q] = even[q] + odd[q];
        v[q + 4] = even[q] - odd[q];
    }
}

/// cos(2 pi k / R) and sin(2 pi k / R) of the odd radices, k = 1 to (R - 1) / 2.
template <u32 R>
struct Turns;
template <>
struct Turns<3> {
    static constexpr double cosines[] = {-0.5}, sines[] = {0.86602540378443864676};
};
template <>
struct Turns<5> {
    static constexpr double cosines[] = {0.30901699437494742410, -0.80901699437494742410};
    static constexpr double sines[] = {0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Turns<7> {
    static constexpr double cosines[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
    static constexpr double sines[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

/// An odd radix: elements s and R - s share their cosines and have opposite sines.
template <class T, u32 R>
__device__ void transform(Complex<T> (&v)[R], int inverse) {
    constexpr u32 half = (R - 1) / 2;
    Complex<T> sums[half], differences[half], all = v[0];
#pragma unroll
    for (u32 s = 0; s < half; ++s) {
        sums[s] = v[s + 1] + v[R - 1 - s];
        differences[s] = quarter_turn(inverse, v[s + 1] - v[R - 1 - s]);
        all = all + sums[s];
    }
#pragma unroll
    for (u32 q = 1; q <= half; ++q) {
        Complex<T> level = v[0], turned{0, 0};
#pragma unroll
        for (u32 s = 1; s <= half; ++s) {
            const u32 turn = s * q % R;
            const bool far = turn > half;
            const u32 at = (far ? R - turn : turn) - 1;
            const T cosine = (T)Turns<R>::cosines[at], sine = (T)(far ? -Turns<R>::sines[at] : Turns<R>::sines[at]);
            level.x += sums[s - 1].x * cosine;
            level.y += sums[s - 1].y * cosine;
            turned.x += differences[s - 1].x * sine;
            turned.y += differences[s - 1].y * sine;
        }
        // Inputs are kept in sums and differences: the places of v from 1 on are free.
        v[q] = level + turned;
        v[R - q] = level - turned;
    }
    v[0] = all;
}

template <u32 R, class T>
__device__ void butterfly(const Complex<T>* x, Complex<T>* y, Place at, Roots<T> roots) {
    Complex<T> v[R];
    const u32 step = at.each / at.done;
    v[0] = x[at.b];
#pragma unroll
    for (u32 s = 1; s < R; ++s) v[s] = x[at.b + s * at.each] * roots[s * at.k * step];
    transform(v, roots.inverse);
    Complex<T>* to = y + (at.b - at.k) * R + at.k;
#pragma unroll
    for (u32 q = 0; q < R; ++q) to[q * at.done] = v[q];
}

/// The same for any radix, by its definition: R^2 products.
template <class T>
__device__ void butterfly_of_any(u32 radix, const Complex<T>* x, Complex<T>* y, Place at, Roots<T> roots) {
    const u32 step = at.each / at.done;
    for (u32 q = 0; q < radix; ++q) {
        Complex<T> sum = x[at.b];
        for (u32 s = 1; s < radix; ++s) {
            const u32 turn = (s * at.k * step + s * q % radix * at.each) % roots.length;
            sum = sum + x[at.b + s * at.each] * roots[turn];
        }
        y[(at.b - at.k) * radix + at.k + q * at.done] = sum;
    }
}

}  // namespace ww_fft
