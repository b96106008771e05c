// Lines of elements in graphs: reductions, normalisation and its gradients, softmax.
#include "graph_numbers.cuh"

using namespace ww_dnn;

template <int WIDTH, class A>
static __device__ void group_reduce(const GroupReduce& r) {
    const Operand* const operands[] = {&r.out, &r.x};
    over_lines<WIDTH>(r.lines, operands, [&](unsigned first, const i64(&line)[2]) {
        A x = first_of<A>(r.kind);
        over_elements<WIDTH>(r.elements, r.lines.dims, first, operands, line,
                             [&](const i64(&at)[2]) { x = combined(x, taken(load<A>(r.x, at[1]), r.kind), r.kind); });
        x = over_line<WIDTH>(x, r.kind);
        if (r.kind == kMean) x /= (A)r.elements.count;
        if (r.kind == kNormTwo) x = root(x);
        if (first == 0) store(r.out, line[0], x);
    });
}

/// A line's mean and the inverse of its deviation, by two passes over it.
template <int WIDTH, class A, int OPERANDS>
static __device__ void moments(const Places& elements, int before, unsigned first, const Operand* const (&operands)[OPERANDS], const i64 (&line)[OPERANDS],
                               bool centred, A& mean, A& variance) {
    mean = A(0), variance = A(0);
    const A count = (A)elements.count;
    if (centred) {
        over_elements<WIDTH>(elements, before, first, operands, line, [&](const i64(&at)[OPERANDS]) { mean += load<A>(*operands[0], at[0]); });
        mean = over_line<WIDTH>(mean, kSum) / count;
    }
    over_elements<WIDTH>(elements, before, first, operands, line, [&](const i64(&at)[OPERANDS]) {
        const A x = load<A>(*operands[0], at[0]) - mean;
        variance += x * x;
    });
    variance = over_line<WIDTH>(variance, kSum) / count;
}

template <int WIDTH, class A>
static __device__ void graph_norm(const GraphNorm& n) {
    const Operand* const operands[] = {&n.x,        &n.y,           &n.scale,    &n.bias,        &n.mean,
                                       &n.inverse, &n.old_mean, &n.old_variance, &n.new_mean, &n.new_variance};
    over_lines<WIDTH>(n.lines, operands, [&](unsigned first, const i64(&line)[10]) {
        A mean = A(0), inverse;
        if (n.given) {
            if (n.centred) mean = load<A>(n.mean, line[4]);
            inverse = load<A>(n.inverse, line[5]);
        } else {
            A variance;
            moments<WIDTH>(n.elements, n.lines.dims, first, operands, line, n.centred, mean, variance);
            inverse = A(1) / root(variance + (A)n.epsilon);
            if (first == 0 && n.keeps) {
                if (n.centred) store(n.mean, line[4], mean);
                store(n.inverse, line[5], inverse);
            }
            if (first == 0 && n.moves) {
                const A part = (A)n.factor, count = (A)n.elements.count;
                const A spread = count > A(1) ? variance * count / (count - A(1)) : variance;
                store(n.new_mean, line[8], (A(1) - part) * load<A>(n.old_mean, line[6]) + part * mean);
                store(n.new_variance, line[9], (A(1) - part) * load<A>(n.old_variance, line[7]) + part * spread);
            }
        }
        over_elements<WIDTH>(n.elements, n.lines.dims, first, operands, line, [&](const i64(&at)[10]) {
            A x = (load<A>(n.x, at[0]) - mean) * inverse * load<A>(n.scale, at[2]);
            if (n.biased) x += load<A>(n.bias, at[3]);
            store(n.y, at[1], x);
        });
    });
}

template <int WIDTH, class A>
static __device__ void graph_norm_gradient(const GraphNormGradient& n) {
    const Operand* const operands[] = {&n.x, &n.dy, &n.dx, &n.scale, &n.mean, &n.inverse};
    const A count = (A)n.elements.count;
    over_lines<WIDTH>(n.lines, operands, [&](unsigned first, const i64(&line)[6]) {
        A mean = A(0), inverse;
        if (n.given) {
            if (n.centred) mean = load<A>(n.mean, line[4]);
            inverse = load<A>(n.inverse, line[5]);
        } else {
            A variance;
            moments<WIDTH>(n.elements, n.lines.dims, first, operands, line, n.centred, mean, variance);
            inverse = A(1) / root(variance + (A)n.epsilon);
        }
        A plain = A(0), along = A(0);
        over_elements<WIDTH>(n.elements, n.lines.dims, first, operands, line, [&](const i64(&at)[6]) {
            const A g = load<A>(n.dy, at[1]) * load<A>(n.scale, at[3]);
            plain += g;
            along += g * (load<A>(n.x, at[0]) - mean) * inverse;
        });
        plain = n.centred ? over_line<WIDTH>(plain, kSum) / count : A(0);
        along = over_line<WIDTH>(along, kSum) / count;
        over_elements<WIDTH>(n.elements, n.lines.dims, first, operands, line, [&](const i64(&at)[6]) {
            const A g = load<A>(n.dy, at[1]) * load<A>(n.scale, at[3]), x = (load<A>(n.x, at[0]) - mean) * inverse;
            store(n.dx, at[2], inverse * (g - plain - x * along));
        });
    });
}
/// Of the scale and the bias, each of whose elements is a line; mean and inverse are there.
template <int WIDTH, class A>
static __device__ void graph_norm_parameters(const GraphNormGradient& n) {
    const Operand* const operands[] = {&n.x, &n.dy, &n.mean, &n.inverse, &n.dscale, &n.dbias};
    over_lines<WIDTH>(n.lines, operands, [&](unsigned first, const i64(&line)[6]) {
        A of_scale = A(0), of_bias = A(0);
        over_elements<WIDTH>(n.elements, n.lines.dims, first, operands, line, [&](const i64(&at)[6]) {
            const A dy = load<A>(n.dy, at[1]);
            const A mean = n.centred ? load<A>(n.mean, at[2]) : A(0);
            of_bias += dy;
            of_scale += dy * (load<A>(n.x, at[0]) - mean) * load<A>(n.inverse, at[3]);
        });
        of_scale = over_line<WIDTH>(of_scale, kSum);
        of_bias = over_line<WIDTH>(of_bias, kSum);
        if (first != 0) return;
        store(n.dscale, line[4], of_scale);
        if (n.biased) store(n.dbias, line[5], of_bias);
    });
}

template <int WIDTH, class A>
static __device__ void graph_softmax(const GraphSoftmax& s) {
    const Operand* const operands[] = {&s.x, &s.y, &s.sink, &s.stats, &s.most, &s.sum};
    over_lines<WIDTH>(s.lines, operands, [&](unsigned first, const i64(&line)[6]) {
        A most = first_of<A>(kMost), sum = A(0);
        over_elements<WIDTH>(s.elements, s.lines.dims, first, operands, line,
                             [&](const i64(&at)[6]) { most = combined(most, load<A>(s.x, at[0]), kMost); });
        most = over_line<WIDTH>(most, kMost);
        const A sink = s.sinks ? load<A>(s.sink, line[2]) : A(0);
        if (s.sinks) most = combined(most, sink, kMost);
        // A line of nothing has no largest element; its exponentials are zeros.
        const A from = most == first_of<A>(kMost) ? A(0) : most;
        over_elements<WIDTH>(s.elements, s.lines.dims, first, operands, line,
                             [&](const i64(&at)[6]) { sum += exponential(load<A>(s.x, at[0]) - from); });
        sum = over_line<WIDTH>(sum, kSum);
        if (s.sinks) sum += exponential(sink - from);
        const A scale = sum == A(0) ? A(0) : A(1) / sum;
        over_elements<WIDTH>(s.elements, s.lines.dims, first, operands, line,
                             [&](const i64(&at)[6]) { store(s.y, at[1], exponential(load<A>(s.x, at[0]) - from) * scale); });
        if (first != 0) return;
        const A stats = most + logarithm(sum);
        if (s.stats.at) store(s.stats, line[3], s.by_two ? stats * A(1.4426950408889634074) : stats);
        if (s.most.at) store(s.most, line[4], most);
        if (s.sum.at) store(s.sum, line[5], sum);
    });
}

#define WW_LINES(name, function, P)                                                                                     \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_warp_f32(P p) { function<32, float>(p); }        \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_block_f32(P p) { function<kThreads, float>(p); } \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_warp_f64(P p) { function<32, double>(p); }       \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_block_f64(P p) { function<kThreads, double>(p); }
WW_LINES(group_reduce, group_reduce, GroupReduce)
WW_LINES(graph_norm, graph_norm, GraphNorm)
WW_LINES(graph_norm_gradient, graph_norm_gradient, GraphNormGradient)
WW_LINES(graph_norm_parameters, graph_norm_parameters, GraphNormGradient)
WW_LINES(graph_softmax, graph_softmax, GraphSoftmax)
