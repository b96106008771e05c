// Pooling: the largest elements of windows, or their means.
#include "image.cuh"

using namespace ww_dnn;

/// cudnnPoolingMode_t's numbers.
enum Mode : int { kMost, kMeanWithPadding, kMeanWithout, kMostInOrder };

/// A window's part within the image, for each dimension from `first` to below `end`.
struct Window {
    int first[3], end[3], whole;
    __device__ Window(const Pooling& p, const int* y) : whole(1) {
        for (int k = 0; k < 3; ++k) {
            const int from = y[k] * p.stride[k] - p.pad[k], to = from + p.window[k];
            first[k] = from < 0 ? 0 : from;
            end[k] = to > p.x.size[2 + k] ? p.x.size[2 + k] : to;
            whole *= p.window[k];
        }
    }
    __device__ int elements(int mode) const {
        if (mode == kMeanWithPadding) return whole;
        return (end[0] - first[0]) * (end[1] - first[1]) * (end[2] - first[2]);
    }
    template <class Of>
    __device__ void each(Of of) const {
#pragma unroll 1
        for (int d = first[0]; d < end[0]; ++d)
#pragma unroll 1
            for (int h = first[1]; h < end[1]; ++h)
#pragma unroll 1
                for (int w = first[2]; w < end[2]; ++w) of(d, h, w);
    }
};

template <bool MEAN, class A>
static __device__ void pool(const Pooling& p) {
    const unsigned count = p.out.size[0] * p.out.size[1] * p.out.size[2] * p.out.size[3] * p.out.size[4];
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
        const Parts at = parts_of(i, p.out.size);
        const int n = at.first / p.out.size[1], c = at.first % p.out.size[1], y[3] = {at.d, at.h, at.w};
        const Window window(p, y);
        A x = MEAN ? A(0) : (A)__int_as_float(0xff800000);
        window.each([&](int d, int h, int w) {
            const A v = element<A>(p.x, n, c, d, h, w);
            if (MEAN)
                x += v;
            else if (v > x || (p.keep_nan && v != v))
                x = v;
        });
        if (MEAN) x /= (A)window.elements(p.mode);
        blend<A>(p.out.at, p.out.type, offset(p.out, n, c, at.d, at.h, at.w), (A)p.alpha, x, (A)p.beta);
    }
}

/// Whether this is the first of the window's elements that is its largest.
template <class A>
static __device__ bool is_first_largest(const Pooling& p, const Window& window, int n, int c, const int* x) {
    const A own = element<A>(p.x, n, c, x[0], x[1], x[2]);
    bool is = true;
    window.each([&](int d, int h, int w) {
        const A v = element<A>(p.x, n, c, d, h, w);
        const bool before = d < x[0] || (d == x[0] && (h < x[1] || (h == x[1] && w < x[2])));
        is &= !(v > own || (v == own && before));
    });
    return is;
}
/// Each element of x sums what the windows around it give it.
template <bool MEAN, class A>
static __device__ void pool_gradient(const Pooling& p) {
    const unsigned count = p.out.size[0] * p.out.size[1] * p.out.size[2] * p.out.size[3] * p.out.size[4];
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
        const Parts at = parts_of(i, p.out.size);
        const int n = at.first / p.out.size[1], c = at.first % p.out.size[1], x[3] = {at.d, at.h, at.w};
        int first[3], last[3];
        for (int k = 0; k < 3; ++k) {
            const int end = x[k] + p.pad[k], begin = end - p.window[k] + 1;
            first[k] = begin <= 0 ? 0 : (begin + p.stride[k] - 1) / p.stride[k];
            last[k] = end / p.stride[k] < p.dy.size[2 + k] ? end / p.stride[k] : p.dy.size[2 + k] - 1;
        }
        A sum = A(0);
#pragma unroll 1
        for (int d = first[0]; d <= last[0]; ++d)
#pragma unroll 1
            for (int h = first[1]; h <= last[1]; ++h)
#pragma unroll 1
                for (int w = first[2]; w <= last[2]; ++w) {
                    const int y[3] = {d, h, w};
                    const Window window(p, y);
                    if (MEAN)
                        sum += element<A>(p.dy, n, c, d, h, w) / (A)window.elements(p.mode);
                    else if (is_first_largest<A>(p, window, n, c, x))
                        sum += element<A>(p.dy, n, c, d, h, w);
                }
        blend<A>(p.out.at, p.out.type, offset(p.out, n, c, at.d, at.h, at.w), (A)p.alpha, sum, (A)p.beta);
    }
}
#define WW_POOL(name, MEAN, suffix, A)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_pool_##name##_##suffix(Pooling p) { pool<MEAN, A>(p); }                      \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_pool_##name##_gradient_##suffix(Pooling p) { pool_gradient<MEAN, A>(p); }
WW_POOL(most, false, f32, float)
WW_POOL(most, false, f64, double)
WW_POOL(mean, true, f32, float)
WW_POOL(mean, true, f64, double)
