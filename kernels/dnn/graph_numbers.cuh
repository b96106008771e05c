// Elements of graphs by their types, and places of operands.
#pragma once

#include <cuda_fp8.h>

#include "graph.cuh"
#include "lines.cuh"

namespace ww_dnn {

template <class A>
__device__ A load(const Operand& o, i64 k) {
    if (!o.at) return (A)o.value;
    switch (o.type) {
        case kDouble:
            return (A)((const double*)o.at)[k];
        case kHalf:
            return (A)__half2float(((const __half*)o.at)[k]);
        case kBfloat16:
            return (A)__bfloat162float(((const __nv_bfloat16*)o.at)[k]);
        case kInt8:
            return (A)((const signed char*)o.at)[k];
        case kUint8:
        case kTruth:
        case kByteTruth:
            return (A)((const unsigned char*)o.at)[k];
        case kInt32:
            return (A)((const int*)o.at)[k];
        case kUint32:
            return (A)((const unsigned*)o.at)[k];
        case kInt64:
            return (A)((const i64*)o.at)[k];
        case kE4m3:
            return (A)(float)((const __nv_fp8_e4m3*)o.at)[k];
        case kE5m2:
            return (A)(float)((const __nv_fp8_e5m2*)o.at)[k];
        default:
            return (A)((const float*)o.at)[k];
    }
}

/// The integer nearest to x that is within bounds.
__device__ inline double nearest(double x, double low, double high) { return x != x ? 0 : fmin(fmax(rint(x), low), high); }
__device__ inline float nearest(float x, float low, float high) { return x != x ? 0 : fminf(fmaxf(rintf(x), low), high); }

template <class A>
__device__ void store(const Operand& o, i64 k, A x) {
    switch (o.type) {
        case kDouble:
            ((double*)o.at)[k] = (double)x;
            break;
        case kHalf:
            ((__half*)o.at)[k] = __float2half_rn((float)x);
            break;
        case kBfloat16:
            ((__nv_bfloat16*)o.at)[k] = __float2bfloat16_rn((float)x);
            break;
        case kInt8:
            ((signed char*)o.at)[k] = (signed char)nearest((float)x, -128.0f, 127.0f);
            break;
        case kUint8:
            ((unsigned char*)o.at)[k] = (unsigned char)nearest((float)x, 0.0f, 255.0f);
            break;
        case kTruth:
        case kByteTruth:
            ((unsigned char*)o.at)[k] = x != A(0);
            break;
        case kInt32:
            ((int*)o.at)[k] = (int)nearest((double)x, -2147483648.0, 2147483647.0);
            break;
        case kUint32:
            ((unsigned*)o.at)[k] = (unsigned)nearest((double)x, 0.0, 4294967295.0);
            break;
        case kInt64:
            ((i64*)o.at)[k] = (i64)llrint((double)x);
            break;
        case kE4m3:
            ((__nv_fp8_e4m3*)o.at)[k] = __nv_fp8_e4m3((float)x);
            break;
        case kE5m2:
            ((__nv_fp8_e5m2*)o.at)[k] = __nv_fp8_e5m2((float)x);
            break;
        default:
            ((float*)o.at)[k] = (float)x;
    }
}

/// Adds the places of position `index` in so many operands.
template <int OPERANDS>
__device__ void place(const Places& p, unsigned index, const Operand* const (&operands)[OPERANDS], i64 (&at)[OPERANDS]) {
#pragma unroll 1
    for (int d = p.dims - 1; d >= 0; --d) {
        unsigned here = index;
        if (d > 0) {
            const unsigned rest = index / p.size[d];
            here = index - rest * p.size[d];
            index = rest;
        }
#pragma unroll
        for (int k = 0; k < OPERANDS; ++k) at[k] += here * operands[k]->apart[d];
    }
}
/// The same, of lines and then of elements: the dimensions of `p` stand behind `before` others in the operands.
template <int OPERANDS>
__device__ void place(const Places& p, int before, unsigned index, const Operand* const (&operands)[OPERANDS], i64 (&at)[OPERANDS]) {
#pragma unroll 1
    for (int d = p.dims - 1; d >= 0; --d) {
        const unsigned rest = index / p.size[d], here = index - rest * p.size[d];
        index = rest;
#pragma unroll
        for (int k = 0; k < OPERANDS; ++k) at[k] += here * operands[k]->apart[before + d];
    }
}

/// Calls `of(line, first element, places)` for the lines of these threads.
template <int WIDTH, int OPERANDS, class Of>
static __device__ void over_lines(const Places& lines, const Operand* const (&operands)[OPERANDS], Of of) {
    constexpr unsigned AT_ONCE = kThreads / WIDTH;
#pragma unroll 1
    for (unsigned line = blockIdx.x * AT_ONCE + threadIdx.x / WIDTH; line < lines.count; line += gridDim.x * AT_ONCE) {
        i64 at[OPERANDS] = {};
        place(lines, 0, line, operands, at);
        of(threadIdx.x % WIDTH, at);
    }
}
template <int WIDTH, int OPERANDS, class Of>
static __device__ void over_elements(const Places& elements, int before, unsigned first, const Operand* const (&operands)[OPERANDS],
                                     const i64 (&line)[OPERANDS], Of of) {
#pragma unroll 1
    for (unsigned i = first; i < elements.count; i += WIDTH) {
        i64 at[OPERANDS];
#pragma unroll
        for (int k = 0; k < OPERANDS; ++k) at[k] = line[k];
        place(elements, before, i, operands, at);
        of(at);
    }
}

}  // namespace ww_dnn
