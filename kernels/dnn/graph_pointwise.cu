// Single elements of graphs: functions of one to three tensors, masks of a band, random numbers.
#include "graph_numbers.cuh"

using namespace ww_dnn;

#define WW_FLOAT_AND_DOUBLE(name, f, d) \
    static __device__ float name(float x) { return f; } \
    static __device__ double name(double x) { return d; }
WW_FLOAT_AND_DOUBLE(above, ceilf(x), ceil(x))
WW_FLOAT_AND_DOUBLE(below, floorf(x), floor(x))
WW_FLOAT_AND_DOUBLE(cosine, cosf(x), cos(x))
WW_FLOAT_AND_DOUBLE(sine, sinf(x), sin(x))
WW_FLOAT_AND_DOUBLE(slope_of_angle, tanf(x), tan(x))
WW_FLOAT_AND_DOUBLE(error_function, erff(x), erf(x))
WW_FLOAT_AND_DOUBLE(one_over_root, rsqrtf(x), rsqrt(x))
WW_FLOAT_AND_DOUBLE(log_of_more, log1pf(x), log1p(x))
static __device__ float power(float x, float y) { return powf(x, y); }
static __device__ double power(double x, double y) { return pow(x, y); }
static __device__ float remainder_of(float x, float y) { return fmodf(x, y); }
static __device__ double remainder_of(double x, double y) { return fmod(x, y); }
static __device__ float angle(float y, float x) { return atan2f(y, x); }
static __device__ double angle(double y, double x) { return atan2(y, x); }

/// ln(1 + exp(b x)) / b
template <class A>
static __device__ A softplus(A x, A b) {
    const A scaled = x * b;
    return (scaled > A(0) ? scaled + log_of_more(exponential(-scaled)) : log_of_more(exponential(scaled))) / b;
}
constexpr double kRootHalf = 0.70710678118654752440, kRootOfTwoOverPi = 0.79788456080286535588, kCubic = 0.044715;
template <class A>
static __device__ A gelu(A x) {
    return A(0.5) * x * (A(1) + error_function(x * A(kRootHalf)));
}
template <class A>
static __device__ A gelu_by_tanh(A x) {
    return A(0.5) * x * (A(1) + tangent(A(kRootOfTwoOverPi) * (x + A(kCubic) * x * x * x)));
}

/// Of one number.
template <class A>
static __device__ A of_one(A x, const Pointwise& p) {
    switch (p.mode) {
        case 4:
            return root(x);
        case 10:
            return magnitude(x);
        case 11:
            return above(x);
        case 12:
            return cosine(x);
        case 13:
            return exponential(x);
        case 14:
            return below(x);
        case 15:
            return logarithm(x);
        case 16:
            return -x;
        case 17:
            return one_over_root(x);
        case 18:
            return sine(x);
        case 19:
            return slope_of_angle(x);
        case 20:
            return error_function(x);
        case 22:
            return A(1) / x;
        case 100: {
            const A y = x < (A)p.lower ? (A)p.lower + (A)p.slope * (x - (A)p.lower) : x;
            return y > (A)p.upper ? (A)p.upper : y;
        }
        case 101:
            return tangent(x);
        case 102:
            return sigmoid(x);
        case 103:
            return x > A(0) || x != x ? x : (A)p.elu * less_one(x);
        case 104:
            return gelu(x);
        case 105:
            return softplus(x, (A)p.softplus);
        case 106:
            return x * sigmoid((A)p.swish * x);
        case 107:
            return gelu_by_tanh(x);
        case 402:
            return x == A(0) ? A(1) : A(0);
        default:
            return x;
    }
}
/// Of two numbers.
template <class A>
static __device__ A of_two(A x, A b, int mode) {
    switch (mode) {
        case 0:
            return x + b;
        case 1:
            return x * b;
        case 2:
            return b < x || b != b ? b : x;
        case 3:
            return b > x || b != b ? b : x;
        case 5:
            return x + b * b;
        case 6:
            return x / b;
        case 7:
            return remainder_of(x, b);
        case 8:
            return power(x, b);
        case 9:
            return x - b;
        case 23:
            return angle(x, b);
        case 24:
            return x - below(x / b) * b;
        case 300:
            return x == b ? A(1) : A(0);
        case 301:
            return x != b ? A(1) : A(0);
        case 302:
            return x > b ? A(1) : A(0);
        case 303:
            return x >= b ? A(1) : A(0);
        case 304:
            return x < b ? A(1) : A(0);
        case 305:
            return x <= b ? A(1) : A(0);
        case 400:
            return x != A(0) && b != A(0) ? A(1) : A(0);
        default:
            return x != A(0) || b != A(0) ? A(1) : A(0);
    }
}
/// What a function's derivative at x makes of dy.
template <class A>
static __device__ A gradient(A dy, A x, const Pointwise& p) {
    switch (p.mode) {
        case 200:
            return x > (A)p.upper ? A(0) : x > (A)p.lower ? dy : (A)p.slope * dy;
        case 201: {
            const A y = tangent(x);
            return dy * (A(1) - y * y);
        }
        case 202: {
            const A y = sigmoid(x);
            return dy * y * (A(1) - y);
        }
        case 203:
            return x > A(0) ? dy : dy * (A)p.elu * exponential(x);
        case 204: {
            const A density = A(0.5 * kRootOfTwoOverPi) * exponential(A(-0.5) * x * x);
            return dy * (A(0.5) * (A(1) + error_function(x * A(kRootHalf))) + x * density);
        }
        case 205:
            return dy * sigmoid((A)p.softplus * x);
        case 206: {
            const A b = (A)p.swish, s = sigmoid(b * x);
            return dy * (s + b * x * s * (A(1) - s));
        }
        default: {
            const A t = tangent(A(kRootOfTwoOverPi) * (x + A(kCubic) * x * x * x));
            const A inner = A(kRootOfTwoOverPi) * (A(1) + A(3 * kCubic) * x * x);
            return dy * A(0.5) * (A(1) + t + x * (A(1) - t * t) * inner);
        }
    }
}

/// The number of a position along one of the places.
static __device__ unsigned number_along(const Places& p, unsigned index, int axis) {
    for (int d = p.dims - 1; d > axis; --d) index /= p.size[d];
    return index % p.size[axis];
}

template <class A>
static __device__ void pointwise(const Pointwise& p) {
    const Operand* const operands[] = {&p.out, &p.x, &p.b, &p.t};
    const bool one = p.mode == 4 || (p.mode >= 10 && p.mode <= 22) || (p.mode >= 100 && p.mode < 200) || p.mode == 402;
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < p.places.count; i += gridDim.x * kThreads) {
        i64 at[4] = {};
        place(p.places, i, operands, at);
        A x;
        if (p.mode == 501) {
            x = (A)number_along(p.places, i, p.axis);
        } else {
            x = (A)p.alpha_x * load<A>(p.x, at[1]);
            if (one)
                x = of_one(x, p);
            else if (p.mode == 601)
                x = load<A>(p.t, at[3]) != A(0) ? x : (A)p.alpha_b * load<A>(p.b, at[2]);
            else if (p.mode >= 200 && p.mode < 300)
                x = gradient(x, load<A>(p.b, at[2]), p);
            else
                x = of_two(x, (A)p.alpha_b * load<A>(p.b, at[2]), p.mode);
        }
        store(p.out, at[0], x);
    }
}
extern "C" __global__ void __launch_bounds__(kThreads) dnn_pointwise_f32(Pointwise p) { pointwise<float>(p); }
extern "C" __global__ void __launch_bounds__(kThreads) dnn_pointwise_f64(Pointwise p) { pointwise<double>(p); }

extern "C" __global__ void __launch_bounds__(kThreads) dnn_band_mask(BandMask m) {
    const Operand* const operands[] = {&m.x, &m.y, &m.b, &m.rows, &m.columns, &m.left, &m.right};
    const int last = m.places.dims - 1;
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < m.places.count; i += gridDim.x * kThreads) {
        i64 at[7] = {};
        place(m.places, i, operands, at);
        double row = number_along(m.places, i, last - 1), column = number_along(m.places, i, last);
        double first, second;
        // From the corner at the end where the lengths are known: a row's diagonal moves by their difference.
        const double moved = (m.has_columns ? load<double>(m.columns, at[4]) : 0) - (m.has_rows ? load<double>(m.rows, at[3]) : 0);
        if (m.has_left) {
            first = column + load<double>(m.left, at[5]) - moved, second = row;
        } else {
            first = row + moved + (m.has_right ? load<double>(m.right, at[6]) : 0), second = column;
        }
        const bool in = of_two(first, second, m.mode) != 0;
        store(m.y, at[1], in ? load<float>(m.x, at[0]) : load<float>(m.b, at[2]));
    }
}

/// 64 bits of a seed and a place: splitmix64's (Steele, Lea and Flood 2014).
static __device__ unsigned long long mixed(unsigned long long z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
extern "C" __global__ void __launch_bounds__(kThreads) dnn_random(RandomFill r) {
    const Operand* const operands[] = {&r.out};
    // Seeds of 64 bits are no doubles.
    const unsigned long long seed = r.seed.at && r.seed.type == kInt64 ? *(const unsigned long long*)r.seed.at : (unsigned long long)(i64)load<double>(r.seed, 0);
    const unsigned long long offset = r.offset.at && r.offset.type == kInt64 ? *(const unsigned long long*)r.offset.at : (unsigned long long)(i64)load<double>(r.offset, 0);
    const unsigned long long key = mixed(seed + 0x9e3779b97f4a7c15ull) + mixed(offset ^ 0x2545f4914f6cdd1dull);
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < r.places.count; i += gridDim.x * kThreads) {
        i64 at[1] = {};
        place(r.places, i, operands, at);
        const unsigned long long z = mixed(key + (i + 1ull) * 0x9e3779b97f4a7c15ull);
        const float u = (float)(z >> 40) * 0x1p-24f;
        float x;
        if (r.kind == 0)
            x = u < (float)r.first ? 1.0f : 0.0f;
        else if (r.kind == 1)
            x = (float)r.first + u * (float)(r.second - r.first);
        else
            x = (float)r.first + (float)r.second * sqrtf(-2.0f * logf((float)((z >> 40) + 1) * 0x1p-24f)) * cospif(2.0f * (float)(z & 0xffffff) * 0x1p-24f);
        store(r.out, at[0], x);
    }
}
