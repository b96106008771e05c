// cuRAND's generators within kernels, from published algorithms, with NVIDIA's numbers:
//   XORWOW   G. Marsaglia, "Xorshift RNGs", 2003
//   MRG32k3a P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999
//   Philox   J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011
// Sobol's and MTGP32's states are not here. docs/libraries.md says what was compared.
#pragma once
#define CURAND_KERNEL_H_
#include "warpwright/hide_names.h"

#include "vector_types.h"
#include "vector_functions.h"
#include "curand.h"

#define WW_RANDOM static __host__ __device__ __forceinline__

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace warpwright_random {

typedef unsigned int u32;
typedef unsigned long long u64;

// XORWOW: 160 bits by a linear map, and a counter.
static __device__ const u32 jumps_on_device[2 * 16 * 15 * 5] = {
#include "warpwright/curand_jumps.inc"
};
static const u32 jumps_on_host[2 * 16 * 15 * 5] = {
#include "warpwright/curand_jumps.inc"
};
WW_RANDOM u32 jump(u32 at) {
#ifdef __CUDA_ARCH__
    return jumps_on_device[at];
#else
    return jumps_on_host[at];
#endif
}
WW_RANDOM void turn(u32 (&v)[5]) {
    const u32 t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}
/// n times as many turns as the table's first row has: by Horner's rule in powers of the map, four bits of n at a time.
WW_RANDOM void turn_far(u32 (&v)[5], u64 n, u32 table) {
#pragma unroll 1
    for (u32 window = 0; n; n >>= 4, ++window) {
        const u32 digit = (u32)n & 15;
        if (!digit) continue;
        const u32 row = ((table * 16 + window) * 15 + digit - 1) * 5;
        u32 sum[5] = {};
#pragma unroll 1
        for (int word = 0; word < 5; ++word) {
            const u32 bits = jump(row + word);
#pragma unroll 1
            for (int bit = 0; bit < 32; ++bit) {
                const u32 taken = 0u - (bits >> bit & 1u);
                for (int k = 0; k < 5; ++k) sum[k] ^= v[k] & taken;
                turn(v);
            }
        }
        for (int k = 0; k < 5; ++k) v[k] = sum[k];
    }
}

// MRG32k3a: two linear maps of three numbers modulo primes.
static constexpr u64 kM1 = 4294967087ull, kM2 = 4294944443ull;
struct map3 {
    u64 m[9];
};
WW_RANDOM u64 times(u64 a, u64 b, u64 m) { return a * b % m; }
WW_RANDOM map3 after(const map3& a, const map3& b, u64 m) {
    map3 out = {};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) out.m[3 * i + j] = (out.m[3 * i + j] + times(b.m[3 * i + k], a.m[3 * k + j], m)) % m;
    return out;
}
/// n times the map's steps.
WW_RANDOM void move(u32 (&v)[3], map3 power, u64 n, u64 m) {
#pragma unroll 1
    for (; n; n >>= 1) {
        if (n & 1) {
            u64 out[3];
            for (int i = 0; i < 3; ++i)
                out[i] = (times(power.m[3 * i], v[0], m) + times(power.m[3 * i + 1], v[1], m) + times(power.m[3 * i + 2], v[2], m)) % m;
            for (int i = 0; i < 3; ++i) v[i] = (u32)out[i];
        }
        if (n > 1) power = after(power, power, m);
    }
}
// One step, 2^76 and 2^127 of them.
WW_RANDOM map3 first_map(int exponent) {
    return exponent == 0    ? map3{{0u, 1u, 0u, 0u, 0u, 1u, 4294156359u, 1403580u, 0u}}
           : exponent == 76 ? map3{{82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u, 1871391091u, 3672091415u, 3528743235u, 69195019u}}
                            : map3{{2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u, 3580155704u, 1988835001u, 986791581u, 1230515664u}};
}
WW_RANDOM map3 second_map(int exponent) {
    return exponent == 0    ? map3{{0u, 1u, 0u, 0u, 0u, 1u, 4293573854u, 0u, 527612u}}
           : exponent == 76 ? map3{{1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u, 3889917532u, 3859662829u, 4292754251u, 3708466080u}}
                            : map3{{1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u, 1022607788u, 2824425944u, 32183930u, 2093834863u}};
}
WW_RANDOM void move(curandStateMRG32k3a_t* s, u64 n, int exponent) {
    move(s->s1, first_map(exponent), n, kM1);
    move(s->s2, second_map(exponent), n, kM2);
}
/// 1 to kM1.
WW_RANDOM double step(curandStateMRG32k3a_t* s) {
    const u64 p = (1403580ull * s->s1[1] + 810728ull * (kM1 - s->s1[0])) % kM1;
    const u64 q = (527612ull * s->s2[2] + 1370589ull * (kM2 - s->s2[0])) % kM2;
    s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = (u32)p;
    s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = (u32)q;
    return (double)(p > q ? p - q : p - q + kM1);
}

WW_RANDOM uint4 philox(uint4 c, uint2 k) {
#pragma unroll 1
    for (int round = 0; round < 10; ++round) {
        const u64 p = 0xd2511f53ull * c.x, q = 0xcd9e8d57ull * c.z;
        c = make_uint4((u32)(q >> 32) ^ c.y ^ k.x, (u32)q, (u32)(p >> 32) ^ c.w ^ k.y, (u32)p);
        k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
    }
    return c;
}
/// Adds to a counter of 128 bits, of which `high` names the upper half.
WW_RANDOM void add(uint4& c, u64 n, bool high) {
    const u64 low = c.x | (u64)c.y << 32, up = c.z | (u64)c.w << 32;
    const u64 new_low = high ? low : low + n, new_up = up + (high ? n : (u64)(new_low < low));
    c = make_uint4((u32)new_low, (u32)(new_low >> 32), (u32)new_up, (u32)(new_up >> 32));
}

WW_RANDOM float uniform_of(u32 x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
WW_RANDOM double wide_uniform_of(u32 x) { return (double)x * 0x1p-32 + 0x1p-33; }
WW_RANDOM double uniform_of(u32 x, u32 y) { return (double)((u64)x ^ (u64)y << 21) * 0x1p-53 + 0x1p-54; }
WW_RANDOM float2 normals_of(float a, float b) {
    const float r = sqrtf(-2.0f * logf(a)), v = b * 6.2831855f;
    return make_float2(r * sinf(v), r * cosf(v));
}
WW_RANDOM double2 normals_of(double a, double b) {
    const double r = sqrt(-2.0 * log(a)), v = b * 6.283185307179586;
    return make_double2(r * sin(v), r * cos(v));
}
template <class S> WW_RANDOM void no_extras(S* s) {
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0.0f, s->boxmuller_extra_double = 0.0;
}
/// Of what the other number is that a call has left for the next one of its kind.
enum { kNothing = 0, kNormal = 1, kLogNormal = 2 };
/// One of two numbers; the other is kept for the next call of the same kind.
template <class S, class Next> WW_RANDOM float first_of(S* s, int kind, Next next) {
    if (s->boxmuller_flag == kind) {
        s->boxmuller_flag = kNothing;
        return s->boxmuller_extra;
    }
    const float2 both = next(s);
    s->boxmuller_flag = kind, s->boxmuller_extra = both.y;
    return both.x;
}
template <class S, class Next> WW_RANDOM double first_of_double(S* s, int kind, Next next) {
    if (s->boxmuller_flag_double == kind) {
        s->boxmuller_flag_double = kNothing;
        return s->boxmuller_extra_double;
    }
    const double2 both = next(s);
    s->boxmuller_flag_double = kind, s->boxmuller_extra_double = both.y;
    return both.x;
}

/// Poisson's distribution: products of uniform numbers (Knuth) where the mean is small, the transformed rejection of
/// W. Hörmann ("The transformed rejection method for generating Poisson random variables", 1993) else. The numbers are
/// not NVIDIA's, whose method is not published.
template <class S, class Uniform> WW_RANDOM u32 poisson(S* s, double mean, Uniform uniform) {
    if (!(mean > 0)) return 0;
    if (mean < 12) {
        const double end = exp(-mean);
        u32 n = 0;
        for (double product = uniform(s); product > end; product *= uniform(s)) ++n;
        return n;
    }
    const double root = sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2), logarithm = log(mean);
    for (;;) {
        const double u = uniform(s) - 0.5, v = uniform(s), us = 0.5 - fabs(u);
        const double n = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= limit) return (u32)n;
        if (n < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <= n * logarithm - mean - lgamma(n + 1)) return (u32)n;
    }
}

}  // namespace warpwright_random

// States.
WW_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
    warpwright_random::turn_far(state->v, n, 1);
    state->d += 362437u * (unsigned int)n;
}
WW_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
    warpwright_random::turn_far(state->v, n, 0);  // 2^67 each; d comes round 2^35 times on the way
}
WW_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateXORWOW_t* state) {
    const unsigned int a = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    const unsigned int b = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + a + b;
    state->v[0] = 123456789u + a, state->v[1] = 362436069u ^ a, state->v[2] = 521288629u + b;
    state->v[3] = 88675123u ^ b, state->v[4] = 5783321u + a;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    warpwright_random::no_extras(state);
}
WW_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) { warpwright_random::move(state, n, 0); }
WW_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    warpwright_random::move(state, n, 76);
}
WW_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    warpwright_random::move(state, n, 127);
}
WW_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateMRG32k3a_t* state) {
    for (int k = 0; k < 3; ++k) state->s1[k] = state->s2[k] = 12345;
    if (seed) {
        const unsigned long long x = (unsigned int)seed ^ 0x55555555u, y = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
        for (int k = 0; k < 3; ++k) {
            state->s1[k] = (unsigned int)(12345 * (k == 1 ? y : x) % warpwright_random::kM1);
            state->s2[k] = (unsigned int)(12345 * (k == 1 ? x : y) % warpwright_random::kM2);
        }
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    warpwright_random::no_extras(state);
}
WW_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    state->STATE += (unsigned int)n & 3;
    n /= 4;
    if (state->STATE > 3) ++n, state->STATE -= 4;
    warpwright_random::add(state->ctr, n, false);
    state->output = warpwright_random::philox(state->ctr, state->key);
}
WW_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    warpwright_random::add(state->ctr, n, true);
    state->output = warpwright_random::philox(state->ctr, state->key);
}
WW_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStatePhilox4_32_10_t* state) {
    state->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    skipahead(offset, state);
    warpwright_random::no_extras(state);
}

// Outputs of 32 bits.
WW_RANDOM unsigned int curand(curandStateXORWOW_t* state) {
    warpwright_random::turn(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}
WW_RANDOM unsigned int curand(curandStateMRG32k3a_t* state) {
    return (unsigned int)(unsigned long long)(warpwright_random::step(state) * 1.000000048662);
}
WW_RANDOM unsigned int curand(curandStatePhilox4_32_10_t* state) {
    const uint4 o = state->output;
    const unsigned int at = state->STATE++, out = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
    if (at == 3) {
        warpwright_random::add(state->ctr, 1, false);
        state->output = warpwright_random::philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return out;
}
WW_RANDOM uint4 curand4(curandStatePhilox4_32_10_t* state) {
    const uint4 a = state->output;
    warpwright_random::add(state->ctr, 1, false);
    const uint4 b = state->output = warpwright_random::philox(state->ctr, state->key);
    switch (state->STATE) {
        case 0: return a;
        case 1: return make_uint4(a.y, a.z, a.w, b.x);
        case 2: return make_uint4(a.z, a.w, b.x, b.y);
        default: return make_uint4(a.w, b.x, b.y, b.z);
    }
}

// Uniform numbers in (0, 1].
template <class S> WW_RANDOM float curand_uniform(S* state) { return warpwright_random::uniform_of(curand(state)); }
template <class S> WW_RANDOM double curand_uniform_double(S* state) {
    const unsigned int x = curand(state), y = curand(state);
    return warpwright_random::uniform_of(x, y);
}
WW_RANDOM float curand_uniform(curandStateMRG32k3a_t* state) {
    return (float)(warpwright_random::step(state) * (1.0 / 4294967087.0));
}
WW_RANDOM double curand_uniform_double(curandStateMRG32k3a_t* state) {
    return warpwright_random::step(state) * (1.0 / 4294967087.0);
}
/// Of 32 bits, as NVIDIA's: curand_uniform2_double has all 53.
WW_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
    return warpwright_random::wide_uniform_of(curand(state));
}
WW_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state);
    using warpwright_random::uniform_of;
    return make_float4(uniform_of(x.x), uniform_of(x.y), uniform_of(x.z), uniform_of(x.w));
}
WW_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state);
    return make_double2(warpwright_random::uniform_of(x.x, x.y), warpwright_random::uniform_of(x.z, x.w));
}

// Normal numbers, in pairs (Box and Muller).
template <class S> WW_RANDOM float2 curand_normal2(S* state) {
    const float a = curand_uniform(state), b = curand_uniform(state);
    return warpwright_random::normals_of(a, b);
}
template <class S> WW_RANDOM double2 curand_normal2_double(S* state) {
    const double a = curand_uniform_double(state), b = curand_uniform_double(state);
    return warpwright_random::normals_of(a, b);
}
WW_RANDOM double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) {
    const double2 u = curand_uniform2_double(state);
    return warpwright_random::normals_of(u.x, u.y);
}
template <class S> WW_RANDOM float curand_normal(S* state) {
    return warpwright_random::first_of(state, warpwright_random::kNormal, [](S* s) { return curand_normal2(s); });
}
template <class S> WW_RANDOM double curand_normal_double(S* state) {
    return warpwright_random::first_of_double(state, warpwright_random::kNormal,
                                              [](S* s) { return curand_normal2_double(s); });
}
WW_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
    const float4 u = curand_uniform4(state);
    const float2 a = warpwright_random::normals_of(u.x, u.y), b = warpwright_random::normals_of(u.z, u.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

// Numbers whose logarithm is normal.
template <class S> WW_RANDOM float2 curand_log_normal2(S* state, float mean, float deviation) {
    const float2 x = curand_normal2(state);
    return make_float2(expf(mean + deviation * x.x), expf(mean + deviation * x.y));
}
template <class S> WW_RANDOM double2 curand_log_normal2_double(S* state, double mean, double deviation) {
    const double2 x = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * x.x), exp(mean + deviation * x.y));
}
template <class S> WW_RANDOM float curand_log_normal(S* state, float mean, float deviation) {
    return warpwright_random::first_of(state, warpwright_random::kLogNormal,
                                       [=](S* s) { return curand_log_normal2(s, mean, deviation); });
}
template <class S> WW_RANDOM double curand_log_normal_double(S* state, double mean, double deviation) {
    return warpwright_random::first_of_double(state, warpwright_random::kLogNormal,
                                              [=](S* s) { return curand_log_normal2_double(s, mean, deviation); });
}
WW_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
    const float4 x = curand_normal4(state);
    return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z),
                       expf(mean + deviation * x.w));
}

template <class S> WW_RANDOM unsigned int curand_poisson(S* state, double mean) {
    return warpwright_random::poisson(state, mean, [](S* s) { return curand_uniform_double(s); });
}

#undef WW_RANDOM
#include "warpwright/restore_names.h"
