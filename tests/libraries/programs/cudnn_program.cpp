// A program of cuDNN's functions of single layers: it compares what the library gives with loops in double, says
// "passed" and ends with 0. NVIDIA's library compiles and passes it too (docs/libraries.md).
#include "cudnn_tensors.hpp"

struct Case {
    Sizes x, w;  ///< the filter's channels are those of a group
    Sizes pad, stride, dilation;
    int groups;
    cudnnConvolutionMode_t mode;
    cudnnDataType_t type;
    bool channels_last;
};

/// Calls `of(image, filter, output)` for each product of a convolution, as positions.
static void each_product(const Case& c, const Sizes& y,
                         const std::function<void(const Sizes&, const Sizes&, const Sizes&)>& of) {
    const int filters = c.w[0] / c.groups;
    Sizes in(c.x.size());
    each(y, [&](const Sizes& out, size_t) {
        Sizes taps(c.w.begin() + 1, c.w.end());
        each(taps, [&](const Sizes& tap, size_t) {
            in[0] = out[0], in[1] = out[1] / filters * c.w[1] + tap[0];
            bool inside = true;
            for (size_t k = 0; k < c.pad.size(); ++k) {
                const int r = c.mode == CUDNN_CONVOLUTION ? c.w[2 + k] - 1 - tap[1 + k] : tap[1 + k];
                in[2 + k] = out[2 + k] * c.stride[k] - c.pad[k] + r * c.dilation[k];
                inside = inside && in[2 + k] >= 0 && in[2 + k] < c.x[2 + k];
            }
            Sizes of_w{out[1]};
            of_w.insert(of_w.end(), tap.begin(), tap.end());
            if (inside) of(in, of_w, out);
        });
    });
}

static void convolution(const Case& c) {
    const auto dims = static_cast<int>(c.pad.size());
    Tensor x(c.x, 1, c.type, c.channels_last), w(c.w, 2, c.type, c.channels_last);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    OK(cudnnCreateFilterDescriptor(&filter));
    OK(cudnnSetFilterNdDescriptor(filter, c.type, c.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, dims + 2,
                                  c.w.data()));
    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetConvolutionNdDescriptor(conv, dims, c.pad.data(), c.stride.data(), c.dilation.data(), c.mode,
                                       c.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
    OK(cudnnSetConvolutionGroupCount(conv, c.groups));
    Sizes size(c.x.size());
    OK(cudnnGetConvolutionNdForwardOutputDim(conv, x.desc, filter, dims + 2, size.data()));
    Tensor y(size, 3, c.type, c.channels_last), dx(c.x, 4, c.type, c.channels_last),
        dw(c.w, 5, c.type, c.channels_last);
    const Factor alpha(0.5, c.type), beta(2, c.type);
    std::vector<double> of_y = y.x, of_dx = dx.x, of_dw = dw.x;
    for (auto* all : {&of_y, &of_dx, &of_dw})
        for (double& v : *all) v *= 2;
    const auto at = [](const Sizes& size, const Sizes& p) {
        size_t k = 0;
        for (size_t d = 0; d < p.size(); ++d) k = k * static_cast<size_t>(size[d]) + static_cast<size_t>(p[d]);
        return k;
    };
    each_product(c, size, [&](const Sizes& i, const Sizes& f, const Sizes& o) {
        of_y[at(size, o)] += 0.5 * x(i) * w(f);
        of_dx[at(c.x, i)] += 0.5 * y(o) * w(f);
        of_dw[at(c.w, f)] += 0.5 * y(o) * x(i);
    });
    // The gradients first: y is the forward's place, and what comes back here.
    void* room = nullptr;
    const size_t bytes = size_t{64} << 20;
    (void)cudaMalloc(&room, bytes);
    cudnnConvolutionBwdDataAlgoPerf_t by_data;
    cudnnConvolutionBwdFilterAlgoPerf_t by_filter;
    cudnnConvolutionFwdAlgoPerf_t by;
    int found = 0;
    OK(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, filter, y.desc, conv, dx.desc, 1, &found, &by_data));
    OK(cudnnConvolutionBackwardData(handle, alpha.at(), filter, w.at, y.desc, y.at, conv, by_data.algo, room, bytes,
                                    beta.at(), dx.desc, dx.at));
    OK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x.desc, y.desc, conv, filter, 1, &found, &by_filter));
    OK(cudnnConvolutionBackwardFilter(handle, alpha.at(), x.desc, x.at, y.desc, y.at, conv, by_filter.algo, room, bytes,
                                      beta.at(), filter, dw.at));
    OK(cudnnGetConvolutionForwardAlgorithm_v7(handle, x.desc, filter, conv, y.desc, 1, &found, &by));
    size_t wanted = 0;
    OK(cudnnGetConvolutionForwardWorkspaceSize(handle, x.desc, filter, conv, y.desc, by.algo, &wanted));
    OK(cudnnConvolutionForward(handle, alpha.at(), x.desc, x.at, filter, w.at, conv, by.algo, room, bytes, beta.at(),
                               y.desc, y.at));
    // Sums of many products, of types whose last digit is coarse.
    const double off = 8 * tolerance(c.type);
    near("a convolution", y.get(), of_y, off);
    near("its gradient of the image", dx.get(), of_dx, off);
    near("its gradient of the filter", dw.get(), of_dw, off);
    (void)cudaFree(room);
    cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroyFilterDescriptor(filter);
}

static void convolutions(bool all) {
    const auto f = CUDNN_DATA_FLOAT;
    const auto plain = CUDNN_CROSS_CORRELATION;
    convolution({{2, 3, 9, 8}, {5, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, plain, f, false});
    convolution({{2, 4, 11, 10}, {70, 4, 3, 2}, {2, 0}, {2, 3}, {2, 1}, 1, plain, f, false});
    convolution({{1, 6, 7, 7}, {4, 3, 3, 3}, {1, 1}, {2, 1}, {1, 1}, 2, CUDNN_CONVOLUTION, f, false});
    if (all) convolution({{2, 3, 6, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, plain, CUDNN_DATA_DOUBLE, false});
    convolution({{1, 2, 5, 6, 4}, {3, 2, 2, 3, 1}, {0, 1, 0}, {1, 2, 1}, {1, 1, 1}, 1, plain, f, false});
    convolution({{2, 8, 6, 6}, {8, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, plain, CUDNN_DATA_HALF, true});
}

static void bias_and_activation() {
    Tensor x({2, 3, 6, 6}, 1), w({4, 3, 3, 3}, 2), z({2, 4, 6, 6}, 3), bias({1, 4, 1, 1}, 4), y({2, 4, 6, 6}, 5);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    cudnnActivationDescriptor_t relu;
    OK(cudnnCreateFilterDescriptor(&filter));
    OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 3, 3, 3));
    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OK(cudnnCreateActivationDescriptor(&relu));
    OK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    const Factor alpha(0.5), of_z(3);
    void* room = nullptr;
    (void)cudaMalloc(&room, size_t{16} << 20);
    OK(cudnnConvolutionBiasActivationForward(handle, alpha.at(), x.desc, x.at, filter, w.at, conv,
                                             CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, room, size_t{16} << 20,
                                             of_z.at(), z.desc, z.at, bias.desc, bias.at, relu, y.desc, y.at));
    std::vector<double> wanted(y.x.size());
    each(y.size, [&](const Sizes& p, size_t k) { wanted[k] = 3 * z(p) + bias({0, p[1], 0, 0}); });
    each_product({x.size, w.size, {1, 1}, {1, 1}, {1, 1}, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT, false}, y.size,
                 [&](const Sizes& i, const Sizes& f, const Sizes& o) {
                     wanted[static_cast<size_t>(((o[0] * 4 + o[1]) * 6 + o[2]) * 6 + o[3])] += 0.5 * x(i) * w(f);
                 });
    for (double& v : wanted) v = std::max(0.0, v);
    near("bias and relu of a convolution", y.get(), wanted, 2e-5);
    Tensor db({1, 4, 1, 1}, 6);
    const Factor one(1), zero(0);
    OK(cudnnConvolutionBackwardBias(handle, one.at(), z.desc, z.at, zero.at(), db.desc, db.at));
    std::vector<double> sums(4);
    each(z.size, [&](const Sizes& p, size_t) { sums[static_cast<size_t>(p[1])] += z(p); });
    near("the gradient of a bias", db.get(), sums, 2e-5);
    (void)cudaFree(room);
    cudnnDestroyActivationDescriptor(relu);
    cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroyFilterDescriptor(filter);
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double activated(cudnnActivationMode_t mode, double x, double c) {
    switch (mode) {
        case CUDNN_ACTIVATION_SIGMOID:
            return sigmoid(x);
        case CUDNN_ACTIVATION_RELU:
            return std::max(0.0, x);
        case CUDNN_ACTIVATION_TANH:
            return std::tanh(x);
        case CUDNN_ACTIVATION_CLIPPED_RELU:
            return std::min(std::max(0.0, x), c);
        case CUDNN_ACTIVATION_ELU:
            return x > 0 ? x : c * std::expm1(x);
        default:
            return x * sigmoid(x);
    }
}

static void activations(cudnnDataType_t type) {
    cudnnActivationDescriptor_t desc;
    OK(cudnnCreateActivationDescriptor(&desc));
    for (const auto mode : {CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_TANH,
                            CUDNN_ACTIVATION_CLIPPED_RELU, CUDNN_ACTIVATION_ELU, CUDNN_ACTIVATION_SWISH}) {
        Tensor x({2, 3, 5, 4}, 1, type), y({2, 3, 5, 4}, 2, type), dy({2, 3, 5, 4}, 3, type), dx({2, 3, 5, 4}, 4, type);
        const double c = mode == CUDNN_ACTIVATION_CLIPPED_RELU ? 0.4 : 1;
        OK(cudnnSetActivationDescriptor(desc, mode, CUDNN_NOT_PROPAGATE_NAN, c));
        if (mode == CUDNN_ACTIVATION_SWISH) OK(cudnnSetActivationDescriptorSwishBeta(desc, 1));
        const Factor alpha(2, type), beta(0.5, type);
        const auto before = y.x;
        OK(cudnnActivationForward(handle, desc, alpha.at(), x.desc, x.at, beta.at(), y.desc, y.at));
        std::vector<double> wanted(x.x.size()), gradient(x.x.size());
        for (size_t k = 0; k < wanted.size(); ++k) {
            wanted[k] = 2 * activated(mode, x.x[k], c) + 0.5 * before[k];
            // By differences, away from where there is none: x is a multiple of 1/128.
            const double h = 1e-6, at = x.x[k] == 0 || (mode == CUDNN_ACTIVATION_CLIPPED_RELU && x.x[k] > c)
                                            ? x.x[k] - h
                                            : x.x[k];
            gradient[k] =
                2 * dy.x[k] * (activated(mode, at + h, c) - activated(mode, at - h, c)) / (2 * h) + 0.5 * dx.x[k];
            y.x[k] = activated(mode, x.x[k], c);
        }
        near("an activation", y.get(), wanted, tolerance(type));
        y.write();
        OK(cudnnActivationBackward(handle, desc, alpha.at(), y.desc, y.at, dy.desc, dy.at, x.desc, x.at, beta.at(),
                                   dx.desc, dx.at));
        near(("the gradient of activation " + std::to_string(mode)).c_str(), dx.get(), gradient,
             std::max(1e-5, tolerance(type)));
    }
    cudnnDestroyActivationDescriptor(desc);
}

static void elements() {
    const Factor alpha(2), beta(0.5), three(3);
    Tensor a({1, 3, 1, 4}, 1), c({2, 3, 5, 4}, 2), b({2, 3, 5, 4}, 3);
    std::vector<double> wanted(c.x.size());
    each(c.size, [&](const Sizes& p, size_t k) { wanted[k] = 2 * a({0, p[1], 0, p[3]}) + 0.5 * c.x[k]; });
    OK(cudnnAddTensor(handle, alpha.at(), a.desc, a.at, beta.at(), c.desc, c.at));
    near("AddTensor", c.get(), wanted, 2e-5);
    cudnnOpTensorDescriptor_t op;
    OK(cudnnCreateOpTensorDescriptor(&op));
    for (const auto kind : {CUDNN_OP_TENSOR_ADD, CUDNN_OP_TENSOR_MUL, CUDNN_OP_TENSOR_MIN, CUDNN_OP_TENSOR_MAX}) {
        c.write();
        OK(cudnnSetOpTensorDescriptor(op, kind, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN));
        OK(cudnnOpTensor(handle, op, alpha.at(), b.desc, b.at, three.at(), a.desc, a.at, beta.at(), c.desc, c.at));
        each(c.size, [&](const Sizes& p, size_t k) {
            const double x = 2 * b.x[k], y = 3 * a({0, p[1], 0, p[3]});
            wanted[k] = 0.5 * c.x[k] + (kind == CUDNN_OP_TENSOR_ADD   ? x + y
                                        : kind == CUDNN_OP_TENSOR_MUL ? x * y
                                        : kind == CUDNN_OP_TENSOR_MIN ? std::min(x, y)
                                                                      : std::max(x, y));
        });
        near("OpTensor", c.get(), wanted, 2e-5);
    }
    cudnnDestroyOpTensorDescriptor(op);
    // From one order to another, and values for all.
    Tensor last({2, 3, 5, 4}, 4, CUDNN_DATA_FLOAT, true);
    const Factor one(1), zero(0);
    OK(cudnnTransformTensor(handle, one.at(), b.desc, b.at, zero.at(), last.desc, last.at));
    near("TransformTensor", last.get(), b.x, 0);
    OK(cudnnScaleTensor(handle, last.desc, last.at, three.at()));
    for (size_t k = 0; k < wanted.size(); ++k) wanted[k] = 3 * b.x[k];
    near("ScaleTensor", last.get(), wanted, 1e-6);
    OK(cudnnSetTensor(handle, last.desc, last.at, alpha.at()));
    near("SetTensor", last.get(), std::vector<double>(wanted.size(), 2), 0);
}

static void softmax(const Sizes& size, cudnnDataType_t type) {
    for (const auto mode : {CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL})
        for (const auto how : {CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_LOG}) {
            Tensor x(size, 1, type), y(size, 2, type), dy(size, 3, type), dx(size, 4, type);
            const Factor one(1, type), zero(0, type);
            OK(cudnnSoftmaxForward(handle, how, mode, one.at(), x.desc, x.at, zero.at(), y.desc, y.at));
            const auto line = [&](const Sizes& p) {
                return mode == CUDNN_SOFTMAX_MODE_INSTANCE ? p[0] : (p[0] * size[2] + p[2]) * size[3] + p[3];
            };
            std::vector<double> sums(count_of(size)), wanted(count_of(size)), of_dy(count_of(size)),
                gradient(count_of(size));
            each(size, [&](const Sizes& p, size_t k) { sums[static_cast<size_t>(line(p))] += std::exp(x.x[k]); });
            each(size, [&](const Sizes& p, size_t k) {
                const double sum = sums[static_cast<size_t>(line(p))];
                wanted[k] = how == CUDNN_SOFTMAX_LOG ? x.x[k] - std::log(sum) : std::exp(x.x[k]) / sum;
                of_dy[static_cast<size_t>(line(p))] += how == CUDNN_SOFTMAX_LOG ? dy.x[k] : dy.x[k] * wanted[k];
            });
            near("softmax", y.get(), wanted, tolerance(type));
            OK(cudnnSoftmaxBackward(handle, how, mode, one.at(), y.desc, y.at, dy.desc, dy.at, zero.at(), dx.desc,
                                    dx.at));
            each(size, [&](const Sizes& p, size_t k) {
                const double sum = of_dy[static_cast<size_t>(line(p))];
                gradient[k] =
                    how == CUDNN_SOFTMAX_LOG ? dy.x[k] - std::exp(wanted[k]) * sum : wanted[k] * (dy.x[k] - sum);
            });
            near("the gradient of softmax", dx.get(), gradient, 4 * tolerance(type));
        }
}

static void reductions() {
    cudnnReduceTensorDescriptor_t desc;
    OK(cudnnCreateReduceTensorDescriptor(&desc));
    const Sizes size{3, 4, 20, 21};
    for (const Sizes& to : {Sizes{1, 4, 1, 1}, Sizes{1, 1, 1, 1}, Sizes{3, 1, 20, 21}, Sizes{3, 4, 20, 1}})
        for (int kind = CUDNN_REDUCE_TENSOR_ADD; kind <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS; ++kind) {
            Tensor a(size, 1), c(to, 2);
            if (kind == CUDNN_REDUCE_TENSOR_MUL || kind == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS) {
                // Products that stay near 1, with a zero where that counts as nothing.
                for (double& v : a.x) v = 1 + v / 4096;
                if (kind == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS) a.x[5] = 0;
                a.write();
            }
            OK(cudnnSetReduceTensorDescriptor(desc, static_cast<cudnnReduceTensorOp_t>(kind), CUDNN_DATA_FLOAT,
                                              CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES,
                                              CUDNN_32BIT_INDICES));
            size_t bytes = 0;
            void* room = nullptr;
            OK(cudnnGetReductionWorkspaceSize(handle, desc, a.desc, c.desc, &bytes));
            (void)cudaMalloc(&room, bytes + 1);
            const Factor alpha(2), beta(0.5);
            OK(cudnnReduceTensor(handle, desc, nullptr, 0, room, bytes, alpha.at(), a.desc, a.at, beta.at(), c.desc,
                                 c.at));
            const bool product = kind == CUDNN_REDUCE_TENSOR_MUL || kind == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS;
            std::vector<double> all(count_of(to), product                           ? 1.0
                                                  : kind == CUDNN_REDUCE_TENSOR_MIN ? 1e9
                                                  : kind == CUDNN_REDUCE_TENSOR_MAX ? -1e9
                                                                                    : 0.0);
            each(size, [&](const Sizes& p, size_t k) {
                size_t at = 0;
                for (size_t d = 0; d < 4; ++d)
                    at = at * static_cast<size_t>(to[d]) + static_cast<size_t>(to[d] == 1 ? 0 : p[d]);
                const double x = a.x[k];
                switch (kind) {
                    case CUDNN_REDUCE_TENSOR_MUL:
                        all[at] *= x;
                        break;
                    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
                        all[at] *= x == 0 ? 1 : x;
                        break;
                    case CUDNN_REDUCE_TENSOR_MIN:
                        all[at] = std::min(all[at], x);
                        break;
                    case CUDNN_REDUCE_TENSOR_MAX:
                        all[at] = std::max(all[at], x);
                        break;
                    case CUDNN_REDUCE_TENSOR_AMAX:
                        all[at] = std::max(all[at], std::fabs(x));
                        break;
                    case CUDNN_REDUCE_TENSOR_NORM1:
                        all[at] += std::fabs(x);
                        break;
                    case CUDNN_REDUCE_TENSOR_NORM2:
                        all[at] += x * x;
                        break;
                    default:
                        all[at] += x;
                }
            });
            for (size_t k = 0; k < all.size(); ++k) {
                if (kind == CUDNN_REDUCE_TENSOR_AVG)
                    all[k] /= static_cast<double>(count_of(size)) / static_cast<double>(all.size());
                if (kind == CUDNN_REDUCE_TENSOR_NORM2) all[k] = std::sqrt(all[k]);
                all[k] = 2 * all[k] + 0.5 * c.x[k];
            }
            near(("reduction " + std::to_string(kind)).c_str(), c.get(), all, 3e-4);
            (void)cudaFree(room);
        }
    cudnnDestroyReduceTensorDescriptor(desc);
}

static void normalisation(cudnnBatchNormMode_t mode, cudnnDataType_t type) {
    const Sizes size{6, 3, 5, 4};
    Tensor x(size, 1, type), y(size, 2, type), dy(size, 3, type), dx(size, 4, type);
    const bool each_own = mode == CUDNN_BATCHNORM_PER_ACTIVATION;
    const Sizes of = each_own ? Sizes{1, 3, 5, 4} : Sizes{1, 3, 1, 1};
    const auto own = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    Tensor scale(of, 5, own), bias(of, 6, own), mean(of, 7, own), variance(of, 8, own), saved(of, 9, own),
        inverse(of, 10, own), dscale(of, 11, own), dbias(of, 12, own);
    for (double& v : variance.x) v = std::fabs(v) + 0.5;
    variance.write();
    cudnnTensorDescriptor_t derived;
    OK(cudnnCreateTensorDescriptor(&derived));
    OK(cudnnDeriveBNTensorDescriptor(derived, x.desc, mode));
    const Factor one(1, type), zero(0, type);
    const double epsilon = 1e-3, factor = 0.25;
    const auto n = count_of(of);
    const double count = static_cast<double>(count_of(size)) / static_cast<double>(n);
    const auto line = [&](const Sizes& p) {
        return static_cast<size_t>(each_own ? (p[1] * 5 + p[2]) * 4 + p[3] : p[1]);
    };
    std::vector<double> m(n), v(n), wanted(x.x.size()), by(x.x.size()), of_bias(n), of_scale(n), gradient(x.x.size());
    each(size, [&](const Sizes& p, size_t k) { m[line(p)] += x.x[k] / count; });
    each(size, [&](const Sizes& p, size_t k) { v[line(p)] += (x.x[k] - m[line(p)]) * (x.x[k] - m[line(p)]) / count; });
    const auto hat = [&](size_t l, size_t k) { return (x.x[k] - m[l]) / std::sqrt(v[l] + epsilon); };
    each(size, [&](const Sizes& p, size_t k) {
        const size_t l = line(p);
        wanted[k] = scale.x[l] * hat(l, k) + bias.x[l];
        by[k] = scale.x[l] * (x.x[k] - mean.x[l]) / std::sqrt(variance.x[l] + epsilon) + bias.x[l];
        of_bias[l] += dy.x[k];
        of_scale[l] += dy.x[k] * hat(l, k);
    });
    each(size, [&](const Sizes& p, size_t k) {
        const size_t l = line(p);
        gradient[k] =
            scale.x[l] / std::sqrt(v[l] + epsilon) * (dy.x[k] - (of_bias[l] + hat(l, k) * of_scale[l]) / count);
    });
    OK(cudnnBatchNormalizationForwardInference(handle, mode, one.at(), zero.at(), x.desc, x.at, y.desc, y.at, derived,
                                               scale.at, bias.at, mean.at, variance.at, epsilon));
    near("a normalisation by running means", y.get(), by, 2 * tolerance(type));
    OK(cudnnBatchNormalizationForwardTraining(handle, mode, one.at(), zero.at(), x.desc, x.at, y.desc, y.at, derived,
                                              scale.at, bias.at, factor, mean.at, variance.at, epsilon, saved.at,
                                              inverse.at));
    near("a normalisation", y.get(), wanted, 2 * tolerance(type));
    std::vector<double> running(n), spread(n);
    for (size_t l = 0; l < n; ++l) {
        running[l] = 0.75 * mean.x[l] + 0.25 * m[l];
        spread[l] = 0.75 * variance.x[l] + 0.25 * v[l] * count / (count - 1);
    }
    near("the running mean", mean.get(), running, 2e-5);
    near("the running variance", variance.get(), spread, 2e-5);
    near("the saved mean", saved.get(), m, 2e-5);
    OK(cudnnBatchNormalizationBackward(handle, mode, one.at(), zero.at(), one.at(), zero.at(), x.desc, x.at, dy.desc,
                                       dy.at, dx.desc, dx.at, derived, scale.at, dscale.at, dbias.at, epsilon, saved.at,
                                       inverse.at));
    near("the gradient of a normalisation", dx.get(), gradient, 8 * tolerance(type));
    near("that of its scale", dscale.get(), of_scale, 1e-4);
    near("that of its bias", dbias.get(), of_bias, 1e-4);
    cudnnDestroyTensorDescriptor(derived);
}

static void pooling(const Sizes& size, const Sizes& window, const Sizes& pad, const Sizes& stride,
                    cudnnDataType_t type) {
    cudnnPoolingDescriptor_t desc;
    OK(cudnnCreatePoolingDescriptor(&desc));
    const auto dims = static_cast<int>(window.size());
    for (const auto mode : {CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                            CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_POOLING_MAX_DETERMINISTIC}) {
        OK(cudnnSetPoolingNdDescriptor(desc, mode, CUDNN_NOT_PROPAGATE_NAN, dims, window.data(), pad.data(),
                                       stride.data()));
        Tensor x(size, 1, type), dx(size, 4, type);
        // All different, since which of two equal ones is the largest is nobody's promise.
        for (size_t k = 0; k < x.x.size(); ++k)
            x.x[k] = static_cast<double>(k * 97 % 251) / 256 + static_cast<double>(k / 251);
        x.write();
        Sizes to(size.size());
        OK(cudnnGetPoolingNdForwardOutputDim(desc, x.desc, dims + 2, to.data()));
        Tensor y(to, 2, type), dy(to, 3, type);
        const Factor one(1, type), zero(0, type);
        std::vector<double> wanted(y.x.size()), gradient(dx.x.size());
        const bool most = mode == CUDNN_POOLING_MAX || mode == CUDNN_POOLING_MAX_DETERMINISTIC;
        each(to, [&](const Sizes& o, size_t k) {
            std::vector<std::pair<double, Sizes>> inside;
            each(window, [&](const Sizes& t, size_t) {
                Sizes i = o;
                bool in = true;
                for (size_t d = 0; d < window.size(); ++d) {
                    i[2 + d] = o[2 + d] * stride[d] - pad[d] + t[d];
                    in = in && i[2 + d] >= 0 && i[2 + d] < size[2 + d];
                }
                if (in) inside.emplace_back(x(i), i);
            });
            const double n = mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ? static_cast<double>(count_of(window))
                                                                                 : static_cast<double>(inside.size());
            const auto largest = std::max_element(inside.begin(), inside.end());
            for (const auto& [value, i] : inside) {
                size_t at = 0;
                for (size_t d = 0; d < i.size(); ++d)
                    at = at * static_cast<size_t>(size[d]) + static_cast<size_t>(i[d]);
                if (most && i == largest->second) gradient[at] += dy.x[k];
                if (!most) gradient[at] += dy.x[k] / n, wanted[k] += value / n;
            }
            if (most) wanted[k] = largest->first;
        });
        OK(cudnnPoolingForward(handle, desc, one.at(), x.desc, x.at, zero.at(), y.desc, y.at));
        near("pooling", y.get(), wanted, tolerance(type));
        OK(cudnnPoolingBackward(handle, desc, one.at(), y.desc, y.at, dy.desc, dy.at, x.desc, x.at, zero.at(), dx.desc,
                                dx.at));
        near("the gradient of pooling", dx.get(), gradient, 2 * tolerance(type));
    }
    cudnnDestroyPoolingDescriptor(desc);
}

static void dropout() {
    Tensor x({4, 5, 16, 16}, 1), y({4, 5, 16, 16}, 2), dx({4, 5, 16, 16}, 3);
    cudnnDropoutDescriptor_t desc;
    OK(cudnnCreateDropoutDescriptor(&desc));
    size_t of_states = 0, of_reserve = 0;
    OK(cudnnDropoutGetStatesSize(handle, &of_states));
    OK(cudnnDropoutGetReserveSpaceSize(x.desc, &of_reserve));
    void *states = nullptr, *reserve = nullptr;
    (void)cudaMalloc(&states, of_states);
    (void)cudaMalloc(&reserve, of_reserve);
    OK(cudnnSetDropoutDescriptor(desc, handle, 0.25f, states, of_states, 7));
    for (double& v : x.x) v = 3;
    x.write();
    OK(cudnnDropoutForward(handle, desc, x.desc, x.at, y.desc, y.at, reserve, of_reserve));
    OK(cudnnDropoutBackward(handle, desc, x.desc, x.at, dx.desc, dx.at, reserve, of_reserve));
    const auto out = y.get();
    double stays = 0;
    for (const double v : out) {
        if (v != 0 && std::fabs(v - 4) > 1e-5) printf("dropout gives %g\n", v), failed = 1;
        stays += v != 0;
    }
    near("what goes back where it stayed", dx.get(), out, 1e-6);
    const double part = stays / static_cast<double>(out.size());
    if (part < 0.72 || part > 0.78) printf("%g stay\n", part), failed = 1;
    (void)cudaFree(states);
    (void)cudaFree(reserve);
    cudnnDestroyDropoutDescriptor(desc);
}

static void descriptors_and_wrong_input() {
    Tensor x({2, 3, 9, 8}, 1), y({2, 5, 9, 8}, 2);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    OK(cudnnCreateFilterDescriptor(&filter));
    OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 5, 4, 3, 3));
    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    const Factor one(1), zero(0);
    // Four channels by a filter for three.
    const auto wrong =
        cudnnConvolutionForward(handle, one.at(), x.desc, x.at, filter, y.at, conv,
                                CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, zero.at(), y.desc, y.at);
    if (wrong == CUDNN_STATUS_SUCCESS) printf("a filter of other channels is taken\n"), failed = 1;
    cudnnTensorDescriptor_t tensor;
    OK(cudnnCreateTensorDescriptor(&tensor));
    SAME(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, -3, 4, 5) == CUDNN_STATUS_SUCCESS,
         false);
    OK(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 2, 3, 4, 5));
    cudnnDataType_t type;
    int size[4], apart[4];
    OK(cudnnGetTensor4dDescriptor(tensor, &type, size, size + 1, size + 2, size + 3, apart, apart + 1, apart + 2,
                                  apart + 3));
    SAME(apart[0] * 1000 + apart[1] * 100 + apart[2] * 10 + apart[3], 60 * 1000 + 100 + 150 + 3);
    size_t bytes = 0;
    OK(cudnnGetTensorSizeInBytes(tensor, &bytes));
    SAME(bytes, size_t{240});
    cudnnDestroyTensorDescriptor(tensor);
    cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroyFilterDescriptor(filter);
}

int main(int count, char**) {
    const bool all = count > 1;
    OK(cudnnCreate(&handle));
    convolutions(all);
    bias_and_activation();
    activations(CUDNN_DATA_FLOAT);
    if (all) activations(CUDNN_DATA_DOUBLE);
    elements();
    softmax({3, 10, 4, 5}, CUDNN_DATA_FLOAT);
    softmax({2, 1100, 1, 2}, CUDNN_DATA_FLOAT);
    if (all) softmax({3, 10, 1, 1}, CUDNN_DATA_DOUBLE);
    reductions();
    normalisation(CUDNN_BATCHNORM_SPATIAL, CUDNN_DATA_FLOAT);
    normalisation(CUDNN_BATCHNORM_PER_ACTIVATION, CUDNN_DATA_FLOAT);
    if (all) normalisation(CUDNN_BATCHNORM_SPATIAL, CUDNN_DATA_DOUBLE);
    pooling({2, 3, 9, 8}, {3, 2}, {1, 0}, {2, 2}, CUDNN_DATA_FLOAT);
    pooling({1, 2, 5, 6, 7}, {2, 3, 2}, {0, 1, 1}, {1, 2, 2}, CUDNN_DATA_FLOAT);
    dropout();
    descriptors_and_wrong_input();
    OK(cudnnDestroy(handle));
    printf(failed ? "failed\n" : "passed\n");
    return failed;
}
