// A program of cuDNN's graphs: it compares what the library gives with loops in double, says "passed" and ends with 0.
// Each graph is one that frameworks ask for, of a form that NVIDIA's library takes too.
#include "cudnn_graphs_hostile.hpp"

static const auto kHalf = CUDNN_DATA_HALF;
static double relu(double x) { return std::max(x, 0.0); }
static size_t at(const Sizes& size, const Sizes& p) {
    size_t k = 0;
    for (size_t d = 0; d < p.size(); ++d) k = k * static_cast<size_t>(size[d]) + static_cast<size_t>(p[d]);
    return k;
}

static Desc convolution_of(int64_t pad, int64_t stride) {
    Made c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    c.type(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT).number(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2);
    c.choice(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    const std::vector<int64_t> pads{pad, pad}, strides{stride, stride}, ones{1, 1};
    c.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, pads);
    c.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, pads);
    c.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, strides);
    return c.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, ones).done();
}
/// Calls `of(image, filter, output)` for each product.
static void each_product(const Tensor& x, const Tensor& w, const Tensor& y, int pad, int stride,
                         const std::function<void(const Sizes&, const Sizes&, const Sizes&)>& of) {
    each(y.size, [&](const Sizes& o, size_t) {
        each({w.size[1], w.size[2], w.size[3]}, [&](const Sizes& t, size_t) {
            const int h = o[2] * stride - pad + t[1], v = o[3] * stride - pad + t[2];
            if (h < 0 || v < 0 || h >= x.size[2] || v >= x.size[3]) return;
            of({o[0], t[0], h, v}, {o[1], t[0], t[1], t[2]}, o);
        });
    });
}

static void convolution_with_bias_and_relu() {
    Tensor x({1, 8, 6, 6}, 1, kHalf, true), w({16, 8, 3, 3}, 2, kHalf, true), b({1, 16, 1, 1}, 3, kHalf, true),
        y({1, 16, 3, 3}, 4, kHalf, true);
    std::vector<double> wanted(y.x.size());
    each_product(x, w, y, 1, 2,
                 [&](const Sizes& i, const Sizes& f, const Sizes& o) { wanted[at(y.size, o)] += x(i) * w(f); });
    each(y.size, [&](const Sizes& o, size_t k) { wanted[k] = relu(wanted[k] + b({0, o[1], 0, 0})); });
    Graph g;
    const Desc sums = g.between(y.size, true), moved = g.between(y.size, true);
    // The order of a graph's operations says nothing.
    g.pointwise(CUDNN_POINTWISE_ADD, sums, g.tensor(b), moved);
    g.pointwise(CUDNN_POINTWISE_RELU_FWD, moved, nullptr, g.tensor(y));
    Made op(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution_of(1, 2));
    op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, g.tensor(x));
    op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, g.tensor(w));
    op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, sums);
    op.real(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1).real(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0);
    g.operations.push_back(op.done());
    if (g.run("a convolution with bias and relu")) near("a convolution with bias and relu", y.get(), wanted, 2e-2);
}

static void gradients_of_a_convolution() {
    Tensor x({2, 8, 5, 5}, 1, kHalf, true), w({8, 8, 3, 3}, 2, kHalf, true), dy({2, 8, 5, 5}, 3, kHalf, true),
        dx({2, 8, 5, 5}, 4, kHalf, true), dw({8, 8, 3, 3}, 5, kHalf, true);
    std::vector<double> of_x(dx.x.size()), of_w(dw.x.size());
    each_product(x, w, dy, 1, 1, [&](const Sizes& i, const Sizes& f, const Sizes& o) {
        of_x[at(x.size, i)] += dy(o) * w(f);
        of_w[at(w.size, f)] += dy(o) * x(i);
    });
    Graph data, filter;
    Made to_x(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR),
        to_w(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
    to_x.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, convolution_of(1, 1));
    to_x.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, data.tensor(dx));
    to_x.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, data.tensor(w));
    to_x.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, data.tensor(dy));
    to_w.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, convolution_of(1, 1));
    to_w.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, filter.tensor(x));
    to_w.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, filter.tensor(dw));
    to_w.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, filter.tensor(dy));
    to_x.real(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1);
    to_x.real(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0);
    to_w.real(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1);
    to_w.real(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0);
    data.operations.push_back(to_x.done());
    filter.operations.push_back(to_w.done());
    if (data.run("a gradient of the image")) near("a gradient of the image", dx.get(), of_x, 2e-2);
    if (filter.run("a gradient of the filter")) near("a gradient of the filter", dw.get(), of_w, 2e-2);
}

static void product_with_bias_and_gelu() {
    Tensor a({2, 24, 32}, 1, kHalf), b({2, 32, 40}, 2, kHalf), bias({1, 1, 40}, 3, kHalf), y({2, 24, 40}, 4, kHalf);
    std::vector<double> wanted(y.x.size());
    each(y.size, [&](const Sizes& o, size_t k) {
        double sum = bias({0, 0, o[2]});
        for (int l = 0; l < 32; ++l) sum += a({o[0], o[1], l}) * b({o[0], l, o[2]});
        wanted[k] = 0.5 * sum * (1 + std::erf(sum * std::sqrt(0.5)));
    });
    Graph g;
    const Desc sums = g.between(y.size), moved = g.between(y.size);
    g.matmul(g.tensor(a), g.tensor(b), sums);
    g.pointwise(CUDNN_POINTWISE_ADD, sums, g.tensor(bias), moved);
    g.pointwise(CUDNN_POINTWISE_GELU_FWD, moved, nullptr, g.tensor(y));
    if (g.run("a product with bias and gelu")) near("a product with bias and gelu", y.get(), wanted, 2e-2);
}

/// A normalisation over all but the first dimension, and its gradients.
static void normalisation(cudnnBackendNormMode_t mode) {
    const int n = 5, c = 64;
    const bool centred = mode == CUDNN_LAYER_NORM;
    const auto f = CUDNN_DATA_FLOAT;
    Tensor x({n, c, 1, 1}, 1, kHalf, true), y({n, c, 1, 1}, 2, kHalf, true), scale({1, c, 1, 1}, 3, f, true),
        bias({1, c, 1, 1}, 4, f, true), mean({n, 1, 1, 1}, 5, f), inverse({n, 1, 1, 1}, 6, f);
    Tensor dy({n, c, 1, 1}, 7, kHalf, true), dx({n, c, 1, 1}, 8, kHalf, true), dscale({1, c, 1, 1}, 9, f, true),
        dbias({1, c, 1, 1}, 10, f, true);
    std::vector<double> of_y(y.x.size()), of_dx(y.x.size()), of_scale(c), of_bias(c), of_inverse(n);
    for (int i = 0; i < n; ++i) {
        double m = 0, v = 0, plain = 0, along = 0;
        for (int j = 0; j < c; ++j) m += x({i, j, 0, 0}) / c;
        if (!centred) m = 0;
        for (int j = 0; j < c; ++j) v += std::pow(x({i, j, 0, 0}) - m, 2) / c;
        const double r = of_inverse[i] = 1 / std::sqrt(v + 1e-3);
        for (int j = 0; j < c; ++j) {
            const double hat = (x({i, j, 0, 0}) - m) * r, d = dy({i, j, 0, 0}), g = d * scale({0, j, 0, 0});
            of_y[static_cast<size_t>(i * c + j)] = hat * scale({0, j, 0, 0}) + bias({0, j, 0, 0});
            of_scale[static_cast<size_t>(j)] += d * hat, of_bias[static_cast<size_t>(j)] += d;
            plain += centred ? g / c : 0, along += g * hat / c;
        }
        for (int j = 0; j < c; ++j) {
            const double hat = (x({i, j, 0, 0}) - m) * r, g = dy({i, j, 0, 0}) * scale({0, j, 0, 0});
            of_dx[static_cast<size_t>(i * c + j)] = r * (g - plain - hat * along);
        }
    }
    float epsilon = 1e-3f;
    Graph g;
    Made op(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
    op.choice(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, mode);
    op.choice(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, g.tensor(x)).part(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, g.tensor(y));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, g.tensor(scale));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, g.tensor(bias));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, g.number(&epsilon));
    if (centred) op.part(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, g.tensor(mean));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, g.tensor(inverse));
    g.operations.push_back(op.done());
    if (!g.run("a normalisation")) return;
    near("a normalisation", y.get(), of_y, 1e-2);
    near("its inverse deviations", inverse.get(), of_inverse, 1e-4);
    Graph back;
    Made of(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
    of.choice(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, mode);
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, back.tensor(x))
        .part(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, back.tensor(dy));
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, back.tensor(dx));
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, back.tensor(scale));
    if (centred) of.part(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, back.tensor(mean));
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, back.tensor(inverse));
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, back.tensor(dscale));
    of.part(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, back.tensor(dbias));
    back.operations.push_back(of.done());
    if (!back.run("gradients of a normalisation")) return;
    near("a gradient of a normalisation", dx.get(), of_dx, 1e-2);
    near("a gradient of its scale", dscale.get(), of_scale, 1e-3);
    near("a gradient of its bias", dbias.get(), of_bias, 1e-3);
}

/// Attention of two heads of q to each of k and v, as one operation.
static void attention() {
    const int b = 1, h = 2, s = 16, d = 64;
    Tensor q({b, h, s, d}, 1, kHalf), k({b, 1, s, d}, 2, kHalf), v({b, 1, s, d}, 3, kHalf), o({b, h, s, d}, 4, kHalf);
    float scale = 0.125f;
    std::vector<double> wanted(o.x.size());
    each({b, h, s}, [&](const Sizes& r, size_t) {
        std::vector<double> e(s);
        double sum = 0;
        for (int j = 0; j < s; ++j) {
            double x = 0;
            for (int l = 0; l < d; ++l) x += q({r[0], r[1], r[2], l}) * k({r[0], 0, j, l});
            sum += e[static_cast<size_t>(j)] = std::exp(x * 0.125);
        }
        for (int l = 0; l < d; ++l)
            for (int j = 0; j < s; ++j)
                wanted[at(o.size, {r[0], r[1], r[2], l})] += e[static_cast<size_t>(j)] / sum * v({r[0], 0, j, l});
    });
    Graph g;
    Made op(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, g.tensor(q)).part(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, g.tensor(k));
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, g.tensor(v)).part(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, g.tensor(o));
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, g.number(&scale));
    g.operations.push_back(op.done());
    if (g.run("attention")) near("attention", o.get(), wanted, 1e-2);
}

/// NVIDIA's library has no engine for this one.
static void sums_of_rows(bool ours) {
    Tensor x({4, 16, 8}, 1), y({4, 16, 1}, 2);
    std::vector<double> wanted(y.x.size());
    each(x.size, [&](const Sizes& p, size_t k) { wanted[at(y.size, {p[0], p[1], 0})] += std::exp(x.x[k]); });
    Graph g;
    const Desc e = g.between(x.size);
    g.pointwise(CUDNN_POINTWISE_EXP, g.tensor(x), nullptr, e);
    g.reduce(CUDNN_REDUCE_TENSOR_ADD, e, g.tensor(y));
    if (g.run("sums of exponentials", ours)) near("sums of exponentials", y.get(), wanted, 1e-4);
}

static void gradient_of_relu() {
    Tensor x({2, 16, 4, 4}, 1, kHalf, true), dy({2, 16, 4, 4}, 2, kHalf, true), dx({2, 16, 4, 4}, 3, kHalf, true);
    std::vector<double> wanted(x.x.size());
    for (size_t k = 0; k < wanted.size(); ++k) wanted[k] = x.x[k] > 0 ? dy.x[k] : 0;
    Graph g;
    g.pointwise(CUDNN_POINTWISE_RELU_BWD, g.tensor(dy), g.tensor(x), g.tensor(dx), true);
    if (g.run("a gradient of relu")) near("a gradient of relu", dx.get(), wanted, 0);
}

/// A plan's text makes the same plan again.
static void texts() {
    Tensor x({2, 8, 4, 4}, 1, kHalf, true), y({2, 8, 4, 4}, 2, kHalf, true);
    Graph g;
    g.pointwise(CUDNN_POINTWISE_RELU_FWD, g.tensor(x), nullptr, g.tensor(y));
    Desc plan = nullptr;
    OK(g.plan(&plan));
    int64_t count = 0;
    const auto name = CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION;
    OK(cudnnBackendGetAttribute(plan, name, CUDNN_TYPE_CHAR, 0, &count, nullptr));
    std::vector<char> text(static_cast<size_t>(count));
    OK(cudnnBackendGetAttribute(plan, name, CUDNN_TYPE_CHAR, count, &count, text.data()));
    Made again(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    again.set<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, {handle});
    OK(g.execute(again.set(name, CUDNN_TYPE_CHAR, text).done()));
    std::vector<double> wanted;
    for (const double v : x.x) wanted.push_back(relu(v));
    near("a plan from its text", y.get(), wanted, 0);
    Made cut(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    cut.set<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, {handle});
    cut.set(name, CUDNN_TYPE_CHAR, std::vector<char>(text.begin(), text.begin() + count / 2));
    SAME(cudnnBackendFinalize(cut.desc) == CUDNN_STATUS_SUCCESS, false);
}

static cudnnStatus_t tensor_status(std::vector<int64_t> size, std::vector<int64_t> apart) {
    Made t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    t.type(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT).number(CUDNN_ATTR_TENSOR_UNIQUE_ID, 1);
    t.number(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
    t.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, size).set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, apart);
    return cudnnBackendFinalize(t.desc);
}
static void wrong_input(bool ours) {
    SAME(tensor_status({2, 3, 4}, {12, 4, 1}), CUDNN_STATUS_SUCCESS);
    SAME(tensor_status({2, 3, 4}, {12, 4}) == CUDNN_STATUS_SUCCESS, false);
    SAME(tensor_status({2, -3, 4}, {12, 4, 1}) == CUDNN_STATUS_SUCCESS, false);
    // Places that wrap.
    const int64_t large = int64_t{1} << 62;
    if (ours) SAME(tensor_status({8, 3, 4}, {large, large, 1}) == CUDNN_STATUS_SUCCESS, false);
    if (ours) SAME(tensor_status({large, 4, 4}, {1, 1, 1}) == CUDNN_STATUS_SUCCESS, false);
    Made t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const int64_t one = 1;
    // An attribute of another descriptor, another type, no elements.
    SAME(cudnnBackendSetAttribute(t.desc, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_INT64, 1, &one) ==
             CUDNN_STATUS_SUCCESS,
         false);
    SAME(cudnnBackendSetAttribute(t.desc, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_FLOAT, 1, &one) ==
             CUDNN_STATUS_SUCCESS,
         false);
    SAME(cudnnBackendSetAttribute(t.desc, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, nullptr) ==
             CUDNN_STATUS_SUCCESS,
         false);
    if (!ours) return;
    // A product of matrices that do not go together; a graph that waits for itself.
    Tensor a({1, 4, 5}, 1), b({1, 6, 7}, 2), c({1, 4, 7}, 3);
    Graph g;
    Made m(CUDNN_BACKEND_MATMUL_DESCRIPTOR), op(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    op.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC, g.tensor(a)).part(CUDNN_ATTR_OPERATION_MATMUL_BDESC, g.tensor(b));
    op.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC, g.tensor(c));
    op.part(CUDNN_ATTR_OPERATION_MATMUL_DESC, m.type(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).done());
    SAME(cudnnBackendFinalize(op.desc), CUDNN_STATUS_BAD_PARAM);
    Graph round;
    const Desc first = round.between({1, 4, 4}), second = round.between({1, 4, 4});
    round.pointwise(CUDNN_POINTWISE_EXP, first, nullptr, second);
    round.pointwise(CUDNN_POINTWISE_EXP, second, nullptr, first);
    Desc plan = nullptr;
    SAME(round.plan(&plan), CUDNN_STATUS_BAD_PARAM);
    // Two tensors, each of which is the other's memory.
    Graph views;
    const Desc one_of = views.between({1, 4, 4}), other = views.between({1, 4, 4});
    views.reshape(one_of, other), views.reshape(other, one_of);
    SAME(views.plan(&plan), CUDNN_STATUS_BAD_PARAM);
    // Nothing is known of a handle that was made up.
    SAME(cudnnBackendFinalize(reinterpret_cast<Desc>(uintptr_t{0x1234})), CUDNN_STATUS_BAD_PARAM);
    // Memory that a plan needs, and is not given.
    Graph missing;
    missing.pointwise(CUDNN_POINTWISE_RELU_FWD, missing.tensor(a), nullptr, missing.tensor(a));
    OK(missing.plan(&plan));
    missing.given.begin()->second = nullptr;
    SAME(missing.execute(plan), CUDNN_STATUS_BAD_PARAM);
}

int main(int count, char**) {
    // With an argument: without what NVIDIA's library answers in another way.
    const bool ours = count == 1;
    OK(cudnnCreate(&handle));
    convolution_with_bias_and_relu();
    gradients_of_a_convolution();
    product_with_bias_and_gelu();
    normalisation(CUDNN_LAYER_NORM);
    normalisation(CUDNN_RMS_NORM);
    attention();
    sums_of_rows(ours);
    gradient_of_relu();
    texts();
    wrong_input(ours);
    if (ours) hostile_graphs();
    OK(cudnnDestroy(handle));
    printf(failed ? "failed\n" : "passed\n");
    return failed;
}
