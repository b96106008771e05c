// What is computed over lines of elements: softmax, sums and other reductions, normalisation. A warp has a line of few elements, a
// block one of many.
#include "lines.cuh"

using namespace ww_dnn;

/// Calls `of(line, first element, places of the line)` for the lines of these threads.
template <int WIDTH, int TENSORS, class Of>
static __device__ void each_line(const Lines& l, Of of) {
    constexpr unsigned AT_ONCE = kThreads / WIDTH;
#pragma unroll 1
    for (unsigned line = blockIdx.x * AT_ONCE + threadIdx.x / WIDTH; line < l.lines.count; line += gridDim.x * AT_ONCE) {
        i64 at[TENSORS] = {};
        place(l.lines, line, at);
        of(line, threadIdx.x % WIDTH, at);
    }
}
/// Calls `of(places)` for each of a line's elements that this thread has.
template <int WIDTH, int TENSORS, class Of>
static __device__ void each_element(const Lines& l, unsigned first, const i64 (&line)[TENSORS], Of of) {
    // Once: each copy of the loop has code for each type.
#pragma unroll 1
    for (unsigned i = first; i < l.elements.count; i += WIDTH) {
        i64 at[TENSORS];
#pragma unroll
        for (int t = 0; t < TENSORS; ++t) at[t] = line[t];
        place(l.elements, i, at);
        of(at);
    }
}

template <int WIDTH, class A>
static __device__ void softmax(const Softmax& s) {
    const Tensors& t = s.lines.tensors;
    each_line<WIDTH, 2>(s.lines, [&](unsigned, unsigned first, const i64(&line)[2]) {
        A most = A(0);
        if (s.shifted) {
            most = first_of<A>(kMost);
            each_element<WIDTH>(s.lines, first, line, [&](const i64(&at)[2]) { most = combined(most, load<A>(t, 1, at[1]), kMost); });
            most = over_line<WIDTH>(most, kMost);
        }
        A sum = A(0);
        each_element<WIDTH>(s.lines, first, line, [&](const i64(&at)[2]) { sum += exponential(load<A>(t, 1, at[1]) - most); });
        sum = over_line<WIDTH>(sum, kSum);
        const A scale = s.log ? logarithm(sum) : A(1) / sum;
        each_element<WIDTH>(s.lines, first, line, [&](const i64(&at)[2]) {
            const A x = load<A>(t, 1, at[1]) - most;
            blend<A>(t.at[0], t.type[0], at[0], (A)s.alpha, s.log ? x - scale : exponential(x) * scale, (A)s.beta);
        });
    });
}
template <int WIDTH, class A>
static __device__ void softmax_gradient(const Softmax& s) {
    const Tensors& t = s.lines.tensors;
    each_line<WIDTH, 3>(s.lines, [&](unsigned, unsigned first, const i64(&line)[3]) {
        A sum = A(0);
        each_element<WIDTH>(s.lines, first, line, [&](const i64(&at)[3]) {
            const A dy = load<A>(t, 2, at[2]);
            sum += s.log ? dy : dy * load<A>(t, 1, at[1]);
        });
        sum = over_line<WIDTH>(sum, kSum);
        each_element<WIDTH>(s.lines, first, line, [&](const i64(&at)[3]) {
            const A y = load<A>(t, 1, at[1]), dy = load<A>(t, 2, at[2]);
            blend<A>(t.at[0], t.type[0], at[0], (A)s.alpha, s.log ? dy - exponential(y) * sum : y * (dy - sum), (A)s.beta);
        });
    });
}

template <int WIDTH, class A>
static __device__ void reduce(const Reduce& r) {
    const Tensors& t = r.lines.tensors;
    each_line<WIDTH, 2>(r.lines, [&](unsigned, unsigned first, const i64(&line)[2]) {
        A x = first_of<A>(r.kind);
        each_element<WIDTH>(r.lines, first, line,
                            [&](const i64(&at)[2]) { x = combined(x, taken(load<A>(t, 1, at[1]), r.kind), r.kind); });
        x = over_line<WIDTH>(x, r.kind);
        if (r.kind == kMean) x /= (A)r.lines.elements.count;
        if (r.kind == kNormTwo) x = root(x);
        if (first == 0) blend<A>(t.at[0], t.type[0], line[0], (A)r.alpha, x, (A)r.beta);
    });
}

template <class A>
static __device__ void keep(void* at, unsigned line, A old_part, A x) {
    if (at) ((A*)at)[line] = old_part == A(0) ? x : old_part * ((A*)at)[line] + x;
}

/// Mean and variance of the line itself; running ones move towards them.
template <int WIDTH, class A>
static __device__ void norm_training(const Norm& n) {
    const Tensors& t = n.lines.tensors;
    const A count = (A)n.lines.elements.count;
    each_line<WIDTH, 2>(n.lines, [&](unsigned line, unsigned first, const i64(&start)[2]) {
        A mean = A(0), variance = A(0);
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[2]) { mean += load<A>(t, 1, at[1]); });
        mean = over_line<WIDTH>(mean, kSum) / count;
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[2]) {
            const A off = load<A>(t, 1, at[1]) - mean;
            variance += off * off;
        });
        variance = over_line<WIDTH>(variance, kSum) / count;
        const A inverse = A(1) / root(variance + (A)n.epsilon);
        const A scale = ((const A*)n.scale)[line] * inverse, bias = ((const A*)n.bias)[line];
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[2]) {
            blend<A>(t.at[0], t.type[0], at[0], (A)n.alpha, (load<A>(t, 1, at[1]) - mean) * scale + bias, (A)n.beta);
        });
        if (first != 0) return;
        const A part = (A)n.factor, unbiased = count > A(1) ? variance * count / (count - A(1)) : variance;
        keep(n.running_mean, line, A(1) - part, part * mean);
        keep(n.running_variance, line, A(1) - part, part * unbiased);
        keep(n.mean, line, A(0), mean);
        keep(n.inverse, line, A(0), inverse);
    });
}
/// By the running ones.
template <int WIDTH, class A>
static __device__ void norm_inference(const Norm& n) {
    const Tensors& t = n.lines.tensors;
    each_line<WIDTH, 2>(n.lines, [&](unsigned line, unsigned first, const i64(&start)[2]) {
        const A mean = ((const A*)n.running_mean)[line], inverse = A(1) / root(((const A*)n.running_variance)[line] + (A)n.epsilon);
        const A scale = ((const A*)n.scale)[line] * inverse, bias = ((const A*)n.bias)[line];
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[2]) {
            blend<A>(t.at[0], t.type[0], at[0], (A)n.alpha, (load<A>(t, 1, at[1]) - mean) * scale + bias, (A)n.beta);
        });
    });
}
template <int WIDTH, class A>
static __device__ void norm_gradient(const Norm& n) {
    const Tensors& t = n.lines.tensors;
    const A count = (A)n.lines.elements.count;
    each_line<WIDTH, 3>(n.lines, [&](unsigned line, unsigned first, const i64(&start)[3]) {
        A mean, inverse;
        if (n.mean) {
            mean = ((const A*)n.mean)[line], inverse = ((const A*)n.inverse)[line];
        } else {
            A sum = A(0), squares = A(0);
            each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[3]) { sum += load<A>(t, 1, at[1]); });
            mean = over_line<WIDTH>(sum, kSum) / count;
            each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[3]) {
                const A off = load<A>(t, 1, at[1]) - mean;
                squares += off * off;
            });
            inverse = A(1) / root(over_line<WIDTH>(squares, kSum) / count + (A)n.epsilon);
        }
        A of_bias = A(0), of_scale = A(0);
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[3]) {
            const A dy = load<A>(t, 2, at[2]);
            of_bias += dy;
            of_scale += dy * (load<A>(t, 1, at[1]) - mean) * inverse;
        });
        of_bias = over_line<WIDTH>(of_bias, kSum);
        of_scale = over_line<WIDTH>(of_scale, kSum);
        const A scale = ((const A*)n.scale)[line] * inverse;
        each_element<WIDTH>(n.lines, first, start, [&](const i64(&at)[3]) {
            const A x = (load<A>(t, 1, at[1]) - mean) * inverse;
            const A dx = scale * (load<A>(t, 2, at[2]) - (of_bias + x * of_scale) / count);
            blend<A>(t.at[0], t.type[0], at[0], (A)n.alpha, dx, (A)n.beta);
        });
        if (first != 0) return;
        keep(n.scale_gradient, line, (A)n.beta_parameters, (A)n.alpha_parameters * of_scale);
        keep(n.bias_gradient, line, (A)n.beta_parameters, (A)n.alpha_parameters * of_bias);
    });
}

#define WW_LINES(name, function, P)                                                                                     \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_warp_f32(P p) { function<32, float>(p); }        \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_block_f32(P p) { function<kThreads, float>(p); } \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_warp_f64(P p) { function<32, double>(p); }       \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_block_f64(P p) { function<kThreads, double>(p); }
WW_LINES(softmax, softmax, Softmax)
WW_LINES(softmax_gradient, softmax_gradient, Softmax)
WW_LINES(reduce, reduce, Reduce)
WW_LINES(norm_training, norm_training, Norm)
WW_LINES(norm_inference, norm_inference, Norm)
WW_LINES(norm_gradient, norm_gradient, Norm)
