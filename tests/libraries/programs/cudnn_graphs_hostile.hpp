// What programs get wrong about graphs, and what a library must not take for something else.
#pragma once

#include "cudnn_graphs.hpp"

/// An attribute that may be set in two types is given back in the one that it has.
static void a_seed_of_two_types() {
    void* at = nullptr;
    (void)cudaMalloc(&at, 64);
    Graph g;
    Made kind(CUDNN_BACKEND_RNG_DESCRIPTOR), by_number(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR),
        by_tensor(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR), to(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const Desc of = kind.done(), y = g.tensor({1, 4, 4}, {16, 4, 1}, CUDNN_DATA_FLOAT, at);
    by_number.part(CUDNN_ATTR_OPERATION_RNG_YDESC, y).part(CUDNN_ATTR_OPERATION_RNG_DESC, of);
    by_tensor.part(CUDNN_ATTR_OPERATION_RNG_YDESC, y).part(CUDNN_ATTR_OPERATION_RNG_DESC, of);
    by_number.number(CUDNN_ATTR_OPERATION_RNG_SEED, 5).done();
    by_tensor.part(CUDNN_ATTR_OPERATION_RNG_SEED, g.tensor({1, 1, 1}, {1, 1, 1}, CUDNN_DATA_INT64, at)).done();
    int64_t count = 0, number = 0;
    const auto name = CUDNN_ATTR_OPERATION_RNG_SEED;
    SAME(cudnnBackendGetAttribute(by_number.desc, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &to.desc),
         CUDNN_STATUS_BAD_PARAM);
    SAME(cudnnBackendGetAttribute(by_tensor.desc, name, CUDNN_TYPE_INT64, 1, &count, &number), CUDNN_STATUS_BAD_PARAM);
    OK(cudnnBackendGetAttribute(by_number.desc, name, CUDNN_TYPE_INT64, 1, &count, &number));
    SAME(number, int64_t{5});
    (void)cudaFree(at);
}

/// A number of the host's that a normalisation reads must be in the pack.
static void a_missing_epsilon() {
    Tensor x({5, 64, 1, 1}, 1, CUDNN_DATA_HALF, true), y({5, 64, 1, 1}, 2, CUDNN_DATA_HALF, true),
        scale({1, 64, 1, 1}, 3, CUDNN_DATA_FLOAT, true);
    float epsilon = 1e-3f;
    Graph g;
    Made op(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
    op.choice(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, CUDNN_RMS_NORM);
    op.choice(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_INFERENCE);
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, g.tensor(x)).part(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, g.tensor(y));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, g.tensor(scale));
    op.part(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, g.number(&epsilon));
    g.operations.push_back(op.done());
    Desc plan = nullptr;
    OK(g.plan(&plan));
    const int64_t its = g.next - 1;
    g.given[its] = nullptr;
    SAME(g.execute(plan), CUDNN_STATUS_BAD_PARAM);
    g.given.erase(its);
    SAME(g.execute(plan), CUDNN_STATUS_BAD_PARAM);
    g.given[its] = &epsilon;
    OK(g.execute(plan));
}

/// A number of the host's in another form is still a number.
static void a_number_in_another_form() {
    Tensor x({1, 4, 4}, 1), y({1, 4, 4}, 2);
    float two = 2;
    Graph g;
    const Desc number = g.tensor({1}, {1}, CUDNN_DATA_FLOAT, &two, true), seen = g.between({1, 1, 1});
    g.reshape(number, seen);
    g.pointwise(CUDNN_POINTWISE_MUL, g.tensor(x), seen, g.tensor(y));
    std::vector<double> wanted;
    for (const double v : x.x) wanted.push_back(2 * v);
    if (g.run("a number in another form")) near("a number in another form", y.get(), wanted, 0);
}

/// Sums of more than 2^24, which floats do not hold.
static void a_product_of_bytes() {
    constexpr int kDepth = 2049;
    void *a = nullptr, *c = nullptr;
    (void)cudaMalloc(&a, kDepth), (void)cudaMalloc(&c, sizeof(int));
    std::vector<signed char> bytes(kDepth, 127);
    bytes[0] = 126;
    (void)cudaMemcpy(a, bytes.data(), kDepth, cudaMemcpyHostToDevice);
    Graph g;
    g.matmul(g.tensor({1, 1, kDepth}, {kDepth, kDepth, 1}, CUDNN_DATA_INT8, a),
             g.tensor({1, kDepth, 1}, {kDepth, 1, 1}, CUDNN_DATA_INT8, a),
             g.tensor({1, 1, 1}, {1, 1, 1}, CUDNN_DATA_INT32, c));
    int sum = 0;
    if (g.run("a product of bytes")) (void)cudaMemcpy(&sum, c, sizeof sum, cudaMemcpyDeviceToHost);
    SAME(sum, 126 * 126 + (kDepth - 1) * 127 * 127);
    (void)cudaFree(a), (void)cudaFree(c);
}

/// Two elements for four are no broadcast of single elements.
static void two_for_four() {
    Tensor x({1, 4, 2, 2}, 1), b({1, 2, 1, 1}, 2), y({1, 4, 2, 2}, 3);
    Graph g;
    Made f(CUDNN_BACKEND_POINTWISE_DESCRIPTOR), op(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    f.choice(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_ADD);
    op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, f.done());
    op.part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, g.tensor(x)).part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, g.tensor(b));
    op.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, g.tensor(y));
    SAME(cudnnBackendFinalize(op.desc), CUDNN_STATUS_BAD_PARAM);
}

static cudnnStatus_t pool_status(cudnnResampleMode_t mode, cudnnPaddingMode_t edges, int64_t pad) {
    Tensor x({1, 2, 4, 4}, 1), y({1, 2, 4, 4}, 2);
    Graph g;
    Made r(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR), op(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR);
    const cudnnFraction_t three{3, 1}, one{1, 1}, around{pad, 1};
    r.choice(CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, mode).number(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 2);
    r.choice(CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, edges);
    r.set<cudnnFraction_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_FRACTION, {three, three});
    r.set<cudnnFraction_t>(CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_FRACTION, {one, one});
    r.set<cudnnFraction_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_TYPE_FRACTION, {around, around});
    r.set<cudnnFraction_t>(CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_TYPE_FRACTION, {around, around});
    op.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, g.tensor(x));
    op.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, g.tensor(y));
    op.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, r.done());
    g.operations.push_back(op.done());
    Desc plan = nullptr;
    return g.plan(&plan);
}
/// Edges that pooling here does not have are refused, not taken for others.
static void other_edges() {
    SAME(pool_status(CUDNN_RESAMPLE_MAXPOOL, CUDNN_NEG_INF_PAD, 1), CUDNN_STATUS_SUCCESS);
    SAME(pool_status(CUDNN_RESAMPLE_MAXPOOL, CUDNN_ZERO_PAD, 1), CUDNN_STATUS_NOT_SUPPORTED);
    SAME(pool_status(CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING, CUDNN_EDGE_VAL_PAD, 1), CUDNN_STATUS_NOT_SUPPORTED);
}

/// Scores of more places than kernels number, of which some are to be dropped.
static void scores_beyond_numbers() {
    void* at = nullptr;
    (void)cudaMalloc(&at, 64);
    const int rows = 1 << 17, columns = 1 << 15;
    const auto half = CUDNN_DATA_HALF;
    Graph g;
    Made op(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, g.tensor({1, 1, rows, 8}, {8, 8, 8, 1}, half, at));
    for (const auto name : {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC})
        op.part(name, g.tensor({1, 1, columns, 8}, {8, 8, 8, 1}, half, at));
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, g.tensor({1, 1, rows, 8}, {8, 8, 8, 1}, half, at));
    op.real(CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_PROBABILITY, 0.5f);
    op.part(CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC,
            g.tensor({1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_INT64, at));
    g.operations.push_back(op.done());
    Desc plan = nullptr;
    SAME(g.plan(&plan), CUDNN_STATUS_NOT_SUPPORTED);
    (void)cudaFree(at);
}

static void hostile_graphs() {
    a_seed_of_two_types();
    a_missing_epsilon();
    a_number_in_another_form();
    a_product_of_bytes();
    two_for_four();
    other_edges();
    scores_beyond_numbers();
}
