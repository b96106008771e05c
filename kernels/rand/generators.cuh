// Generators of random numbers and the distributions made from them, for kernels and, as they stand, for the host.
//   xorwow   G. Marsaglia, "Xorshift RNGs", 2003
//   mrg32k3a P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999
//   philox   J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011
//   sobol    S. Joe, F. Kuo, "Constructing Sobol' sequences with better two-dimensional projections", 2008
// How their outputs become floats is what NVIDIA's documentation says of the intervals: (0, 1], 0 left out.
#pragma once

#ifdef __CUDACC__
#define WW_RAND static __host__ __device__ __forceinline__
#else
#include <math.h>
#define WW_RAND static inline
#endif

namespace ww_rand {

typedef unsigned u32;
typedef unsigned long long u64;

enum Kind { kBits, kUniform, kUniform64, kNormal, kNormal64 };

WW_RAND float uniform_of(u32 x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
/// 53 bits of two outputs.
WW_RAND double uniform_of(u32 x, u32 y) {
    const u64 bits = (u64)x ^ (u64)y << 21;
    return (double)bits * 0x1p-53 + 0x1p-54;
}
/// Two normal numbers from two uniform ones (Box and Muller).
WW_RAND void normals_of(float a, float b, float& x, float& y) {
    const float r = sqrtf(-2.0f * logf(a)), v = b * 6.2831855f;
    x = r * sinf(v), y = r * cosf(v);
}
WW_RAND void normals_of(double a, double b, double& x, double& y) {
    const double r = sqrt(-2.0 * log(a)), v = b * 6.283185307179586;
    x = r * sin(v), y = r * cos(v);
}
/// The inverse of the normal distribution (M. Wichura, algorithm AS 241), for quasirandom numbers.
WW_RAND double normal_quantile(double p) {
    const double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * (((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r + 45921.953931549871457) * r +
                       13731.693765509461125) * r + 1971.5909503065514427) * r + 133.14166789178437745) * r + 3.387132872796366608) /
               (((((((5226.495278852545925 * r + 28729.085735721942674) * r + 39307.89580009271061) * r + 21213.794301586595867) * r +
                   5394.1960214247511077) * r + 687.1870074920579083) * r + 42.313330701600911252) * r + 1.0);
    }
    double r = sqrt(-log(q < 0 ? p : 1.0 - p)), z;
    if (r <= 5.0) {
        r -= 1.6;
        z = (((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r + 1.27045825245236838258) * r +
                3.64784832476320460504) * r + 5.7694972214606914055) * r + 4.6303378461565452959) * r + 1.42343711074968357734) /
            (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r + 0.14810397642748007459) * r +
                0.68976733498510000455) * r + 1.6763848301838038494) * r + 2.05319162663775882187) * r + 1.0);
    } else {
        r -= 5.0;
        z = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r + 0.026532189526576123093) * r +
                0.29656057182850489123) * r + 1.7848265399172913358) * r + 5.4637849111641143699) * r + 6.6579046435011037772) /
            (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4) * r +
                0.0148753612908506148525) * r + 0.13692988092273580531) * r + 0.59983220655588793769) * r + 1.0);
    }
    return q < 0 ? -z : z;
}

struct Xorwow {
    static const u32 kStreams = 4096;  // which take turns; a stream begins 2^67 outputs behind the one before
    u32 v[5], d;
    WW_RAND u32 step(Xorwow& s) {
        const u32 t = s.v[0] ^ s.v[0] >> 2;
        s.v[0] = s.v[1], s.v[1] = s.v[2], s.v[2] = s.v[3], s.v[3] = s.v[4];
        s.v[4] = (s.v[4] ^ s.v[4] << 4) ^ (t ^ t << 1);
        s.d += 362437;
        return s.v[4] + s.d;
    }
    WW_RAND u32 bits(Xorwow& s) { return step(s); }
    WW_RAND float uniform(Xorwow& s) { return uniform_of(step(s)); }
    WW_RAND double uniform64(Xorwow& s) {
        const u32 x = step(s), y = step(s);
        return uniform_of(x, y);
    }
};

struct Mrg32k3a {
    static const u32 kStreams = 81920;  // 2^76 outputs apart
    static const u64 kM1 = 4294967087ull, kM2 = 4294944443ull;
    u32 a[3], b[3];
    /// 1 to kM1.
    WW_RAND u64 step(Mrg32k3a& s) {
        const u64 p = (1403580ull * s.a[1] + 810728ull * (kM1 - s.a[0])) % kM1;
        const u64 q = (527612ull * s.b[2] + 1370589ull * (kM2 - s.b[0])) % kM2;
        s.a[0] = s.a[1], s.a[1] = s.a[2], s.a[2] = (u32)p;
        s.b[0] = s.b[1], s.b[1] = s.b[2], s.b[2] = (u32)q;
        return p > q ? p - q : p - q + kM1;
    }
    /// Spread over all 32 bits: by 2^32 / kM1, to the digits that fit NVIDIA's outputs.
    WW_RAND u32 bits(Mrg32k3a& s) { return (u32)(u64)((double)step(s) * 1.000000048662); }
    WW_RAND float uniform(Mrg32k3a& s) { return (float)((double)step(s) * (1.0 / 4294967087.0)); }
    WW_RAND double uniform64(Mrg32k3a& s) { return (double)step(s) * (1.0 / 4294967087.0); }
};

struct Quad {
    u32 x[4];
};
WW_RAND Quad philox(u64 counter, u64 stream, u64 key) {
    u32 c0 = (u32)counter, c1 = (u32)(counter >> 32), c2 = (u32)stream, c3 = (u32)(stream >> 32), k0 = (u32)key, k1 = (u32)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const u64 p = 0xd2511f53ull * c0, q = 0xcd9e8d57ull * c2;
        const u32 n0 = (u32)(q >> 32) ^ c1 ^ k0, n2 = (u32)(p >> 32) ^ c3 ^ k1;
        c1 = (u32)q, c3 = (u32)p, c0 = n0, c2 = n2;
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
    }
    return Quad{{c0, c1, c2, c3}};
}
static const u64 kPhiloxStreams = 65536;

/// Element n of a Sobol sequence by the 32 direction numbers of its dimension.
WW_RAND u32 sobol(const u32* directions, u64 n) {
    u32 x = 0;
    for (u64 gray = n ^ n >> 1; gray; gray &= gray - 1) {
        u32 bit = 0;
        for (u64 low = gray & (~gray + 1); low > 1; low >>= 1) ++bit;
        if (bit < 32) x ^= directions[bit];
    }
    return x;
}

/// How uniform and normal numbers become what is asked for: mean + deviation * x, and its exponential.
struct Shape {
    double mean, deviation;
    int log;
};
WW_RAND float shaped(float x, Shape s) {
    const float y = (float)s.mean + (float)s.deviation * x;
    return s.log ? expf(y) : y;
}
WW_RAND double shaped(double x, Shape s) {
    const double y = s.mean + s.deviation * x;
    return s.log ? exp(y) : y;
}

/// One unit of output of a stream: a number, or a pair of normal ones. `left`: how many of a pair there is room for.
template <class S> WW_RAND void emit(S& s, int kind, void* out, u64 unit, Shape shape) {
    if (kind == kBits) ((u32*)out)[unit] = S::bits(s);
    if (kind == kUniform) ((float*)out)[unit] = S::uniform(s);
    if (kind == kUniform64) ((double*)out)[unit] = S::uniform64(s);
    if (kind == kNormal) {
        float x, y;
        const float a = S::uniform(s), b = S::uniform(s);
        normals_of(a, b, x, y);
        ((float*)out)[2 * unit] = shaped(x, shape), ((float*)out)[2 * unit + 1] = shaped(y, shape);
    }
    if (kind == kNormal64) {
        double x, y;
        const double a = S::uniform64(s), b = S::uniform64(s);
        normals_of(a, b, x, y);
        ((double*)out)[2 * unit] = shaped(x, shape), ((double*)out)[2 * unit + 1] = shaped(y, shape);
    }
}
/// All units of one stream: units from `first` on take turns over the streams.
template <class S> WW_RAND void run_stream(S& s, u32 stream, int kind, void* out, u64 first, u64 units, Shape shape) {
    const u64 skip = (stream + S::kStreams - first % S::kStreams) % S::kStreams;
    for (u64 u = skip; u < units; u += S::kStreams) emit(s, kind, out, u, shape);
}

/// Four outputs of Philox, of which those from `first` on and before `first` + n are wanted: the group's own numbers are 4 * group + 0..3.
WW_RAND void philox_group(u64 key, u64 group, int kind, void* out, u64 first, u64 n, Shape shape) {
    const u64 stream = group % kPhiloxStreams, turn = group / kPhiloxStreams;
    float f[4] = {};
    double d[4] = {};
    Quad q = {};
    if (kind == kUniform64 || kind == kNormal64) {
        // Four doubles take two turns of the stream, so within a call it runs ahead of the place, which counts numbers of any kind.
        const u64 ahead = (group - first / 4) / kPhiloxStreams;
        const Quad a = philox(turn + ahead, stream, key), b = philox(turn + ahead + 1, stream, key);
        d[0] = uniform_of(a.x[0], a.x[1]), d[1] = uniform_of(a.x[2], a.x[3]);
        d[2] = uniform_of(b.x[0], b.x[1]), d[3] = uniform_of(b.x[2], b.x[3]);
        if (kind == kNormal64)
            for (int k = 0; k < 4; k += 2) normals_of(d[k], d[k + 1], d[k], d[k + 1]);
    } else {
        q = philox(turn, stream, key);
        for (int k = 0; k < 4; ++k) f[k] = uniform_of(q.x[k]);
        if (kind == kNormal)
            for (int k = 0; k < 4; k += 2) normals_of(f[k], f[k + 1], f[k], f[k + 1]);
    }
    for (int k = 0; k < 4; ++k) {
        const u64 at = 4 * group + k;
        if (at < first || at - first >= n) continue;
        if (kind == kBits) ((u32*)out)[at - first] = q.x[k];
        if (kind == kUniform) ((float*)out)[at - first] = f[k];
        if (kind == kNormal) ((float*)out)[at - first] = shaped(f[k], shape);
        if (kind == kUniform64) ((double*)out)[at - first] = d[k];
        if (kind == kNormal64) ((double*)out)[at - first] = shaped(d[k], shape);
    }
}

WW_RAND void sobol_element(const u32* directions, u64 n, int kind, void* out, u64 at, Shape shape) {
    const u32 x = sobol(directions, n);
    if (kind == kBits) ((u32*)out)[at] = x;
    if (kind == kUniform) ((float*)out)[at] = uniform_of(x);
    if (kind == kUniform64) ((double*)out)[at] = (double)x * 0x1p-32 + 0x1p-32;
    if (kind == kNormal) ((float*)out)[at] = shaped((float)normal_quantile(uniform_of(x)), shape);
    if (kind == kNormal64) ((double*)out)[at] = shaped(normal_quantile((double)x * 0x1p-32 + 0x1p-33), shape);
}

}  // namespace ww_rand
