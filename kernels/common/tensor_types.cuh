// Element types of the tensor-core rungs, named as ladder files name them: an axis T = ["bf16", ...] comes as
// -DELEMENT=bf16. Bits only, no arithmetic: that is what the tensor cores are for. What a type's product is
// written as is `output_t<T>`; what it is summed in, `sum_t<T>`.
#pragma once

struct bf16 {
    unsigned short bits;
};
struct f16 {
    unsigned short bits;
};
struct e4m3 {
    unsigned char bits;
};
struct e5m2 {
    unsigned char bits;
};
typedef float f32;  // multiplied as TF32: 10 bits of fraction
typedef signed char i8;
typedef int i32;

template <class T> struct Product {
    typedef bf16 output;
    typedef float sum;
};
template <> struct Product<f16> {
    typedef f16 output;
    typedef float sum;
};
template <> struct Product<f32> {
    typedef float output;
    typedef float sum;
};
template <> struct Product<i8> {
    typedef i32 output;
    typedef i32 sum;
};
template <class T> using output_t = typename Product<T>::output;
template <class T> using sum_t = typename Product<T>::sum;

/// Two sums side by side, as the type of the output: one 32-bit word for 16-bit types.
static __device__ __forceinline__ unsigned pack(bf16, float low, float high) {
    unsigned word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}
static __device__ __forceinline__ unsigned pack(f16, float low, float high) {
    unsigned word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

/// Writes the neighbouring elements p[0] and p[1]; only p[0] unless `two`. `aligned`: p is aligned for both at once.
template <class O> static __device__ __forceinline__ void store_pair(O* p, float low, float high, bool two, bool aligned) {
    const unsigned word = pack(O{}, low, high);
    if (two && aligned) {
        *reinterpret_cast<unsigned*>(p) = word;
        return;
    }
    p[0].bits = static_cast<unsigned short>(word);
    if (two) p[1].bits = static_cast<unsigned short>(word >> 16);
}
static __device__ __forceinline__ void store_pair(float* p, float low, float high, bool two, bool aligned) {
    if (two && aligned) {
        *reinterpret_cast<float2*>(p) = make_float2(low, high);
        return;
    }
    p[0] = low;
    if (two) p[1] = high;
}
static __device__ __forceinline__ void store_pair(i32* p, i32 low, i32 high, bool two, bool aligned) {
    if (two && aligned) {
        *reinterpret_cast<int2*>(p) = make_int2(low, high);
        return;
    }
    p[0] = low;
    if (two) p[1] = high;
}
