// Convolutions and their gradients, by kernels/dnn/convolution.cuh: each is a product of matrices in tiles.
#include "libraries/cudnn/convolution.hpp"

#include <algorithm>
#include <utility>

namespace warpwright::libraries::dnn {
namespace {

/// The objects of a convolution that can be computed.
struct Found {
    std::shared_ptr<Filtering> filtering;
    std::shared_ptr<Shape> x, w, y;
};

Status look_up(Handle h, const Three& of, void* desc, Found& to) {
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    to = {find<Filtering>(desc), find<Shape>(of.x), find<Shape>(of.w), find<Shape>(of.y)};
    if (!to.filtering || !to.x || !to.w || !to.y) return kWrong;
    const auto wanted = filtered(*to.filtering, *to.x, *to.w);
    if (!wanted || !wanted->same_sizes(*to.y)) return kWrong;
    for (const auto& shape : {to.x, to.w, to.y})
        if (!has_kernels(shape->type)) return refuse("a convolution of integers or small floats");
    if (to.x->type != to.w->type || to.x->type != to.y->type)
        return refuse("a convolution of several types of numbers");
    // Each group is a layer of the grid.
    if (to.filtering->groups > 65535) return refuse("a convolution of more than 65,535 groups");
    return kDone;
}

/// Whether an output channel's part of the filter lies in one piece, in the order of its sizes.
bool is_linear(const Shape& w) {
    int next = 1;
    for (auto d = static_cast<std::size_t>(w.dims); d-- > 1;) {
        if (w.size[d] > 1 && w.apart[d] != next) return false;
        next *= w.size[d];
    }
    return true;
}

ww_dnn::Convolution argument_of(const Found& f, const void* x, const void* w, const void* y, const void* alpha,
                                const void* beta) {
    ww_dnn::Convolution c{};
    c.x = image(*f.x, x), c.w = image(*f.w, w), c.y = image(*f.y, y);
    for (int k = 0; k < 3; ++k) {
        const int from = k - (3 - f.filtering->dims);
        const auto at = static_cast<std::size_t>(std::max(0, from));
        c.pad[k] = from < 0 ? 0 : f.filtering->pad[at];
        c.stride[k] = from < 0 ? 1 : f.filtering->stride[at];
        c.dilation[k] = from < 0 ? 1 : f.filtering->dilation[at];
    }
    c.groups = f.filtering->groups;
    c.flipped = f.filtering->mode == CUDNN_CONVOLUTION;
    c.w_linear = is_linear(*f.w);
    c.alpha = factor(alpha, f.x->type, 1), c.beta = factor(beta, f.x->type, 0);
    c.activation = -1;
    c.z = c.y;
    return c;
}

/// The file with the kernels for a type, and how their names end.
std::pair<Code, const char*> kernels_of(cudnnDataType_t type) {
    switch (type) {
        case CUDNN_DATA_DOUBLE:
            return {Code::convolution_f64, "_f64"};
        case CUDNN_DATA_HALF:
            return {Code::convolution_f16, "_f16"};
        case CUDNN_DATA_BFLOAT16:
            return {Code::convolution_bf16, "_bf16"};
        default:
            return {Code::convolution_f32, "_f32"};
    }
}

/// A product with so many rows and columns for each group.
Status launch_product(Handle h, const char* name, const Found& f, std::int64_t rows, std::int64_t columns,
                      ww_dnn::Convolution& c) {
    constexpr std::int64_t kFew = 16, kMany = 64, kColumns = 64, kMostTiles = 65535;
    const bool few = rows <= 2 * kFew;
    const auto tiles = [](std::int64_t n, std::int64_t of) { return (n + of - 1) / of; };
    const std::int64_t down = tiles(rows, few ? kFew : kMany), across = tiles(columns, kColumns);
    if (down > kMostTiles) return refuse("a convolution of more than 4,194,240 channels");
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down), static_cast<unsigned>(c.groups));
    const auto [code, suffix] = kernels_of(f.x->type);
    return launch(h, code, std::string("dnn_") + name + (few ? "_few" : "_many") + suffix, grid, &c);
}

/// Images and places of one channel.
std::int64_t places(const Shape& shape) { return shape.count() / shape.size[1]; }

Status forward(Handle h, const Found& f, ww_dnn::Convolution& c) {
    return launch_product(h, "convolution", f, f.w->size[0] / f.filtering->groups, places(*f.y), c);
}

bool in(int algorithm, int count) { return algorithm >= 0 && algorithm < count; }

}  // namespace

Status check(Handle h, const Three& of, void* desc) {
    Found found;
    return look_up(h, of, desc, found);
}

Status get_algorithms(Handle h, int* count) {
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!count) return kWrong;
    *count = 1;
    return kDone;
}

Status convolve(Handle h, const void* alpha, const Three& of, const void* x, const void* w, void* desc, int algorithm,
                const void* beta, void* y) {
    Found f;
    if (const auto s = look_up(h, of, desc, f); s != kDone) return s;
    if (!x || !w || !y || !in(algorithm, CUDNN_CONVOLUTION_FWD_ALGO_COUNT)) return kWrong;
    auto c = argument_of(f, x, w, y, alpha, beta);
    return forward(h, f, c);
}

Status convolve_and_activate(Handle h, const void* alpha, const Three& of, const void* x, const void* w, void* desc,
                             int algorithm, const void* alpha_z, void* z_desc, const void* z, void* bias_desc,
                             const void* bias, void* activation, void* y) {
    Found f;
    if (const auto s = look_up(h, of, desc, f); s != kDone) return s;
    const auto of_z = find<Shape>(z_desc), of_bias = find<Shape>(bias_desc);
    const auto a = find<Activation>(activation);
    if (!x || !w || !y || !z || !bias || !in(algorithm, CUDNN_CONVOLUTION_FWD_ALGO_COUNT)) return kWrong;
    if (!of_z || !of_bias || !a || !of_z->same_sizes(*f.y)) return kWrong;
    if (of_bias->dims < 2 || of_bias->count() != f.y->size[1] || of_bias->size[1] != f.y->size[1]) return kWrong;
    if (!has_kernels(of_bias->type) || (of_bias->type == CUDNN_DATA_DOUBLE) != (f.x->type == CUDNN_DATA_DOUBLE))
        return refuse("a bias of such a type");
    if (of_z->type != f.x->type) return refuse("a convolution of several types of numbers");
    if (of_bias->size[1] > 1 && of_bias->apart[1] != 1) return refuse("a bias with gaps");
    if (a->mode != CUDNN_ACTIVATION_RELU && a->mode != CUDNN_ACTIVATION_IDENTITY)
        return refuse("another activation of a convolution than relu");
    auto c = argument_of(f, x, w, y, alpha, alpha_z);
    c.z = image(*of_z, z);
    c.bias = bias, c.bias_type = of_bias->type;
    c.activation = a->mode;
    return forward(h, f, c);
}

Status convolve_back_data(Handle h, const void* alpha, const Three& of, const void* w, const void* dy, void* desc,
                          int algorithm, const void* beta, void* dx) {
    Found f;
    if (const auto s = look_up(h, of, desc, f); s != kDone) return s;
    if (!w || !dy || !dx || !in(algorithm, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT)) return kWrong;
    auto c = argument_of(f, dx, w, dy, alpha, beta);
    return launch_product(h, "convolution_data", f, f.w->size[1], places(*f.x), c);
}

Status convolve_back_filter(Handle h, const void* alpha, const Three& of, const void* x, const void* dy, void* desc,
                            int algorithm, const void* beta, void* dw) {
    Found f;
    if (const auto s = look_up(h, of, desc, f); s != kDone) return s;
    if (!x || !dy || !dw || !in(algorithm, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT)) return kWrong;
    auto c = argument_of(f, x, dw, dy, alpha, beta);
    return launch_product(h, "convolution_filter", f, f.w->size[0] / f.filtering->groups, f.w->count() / f.w->size[0],
                          c);
}

}  // namespace warpwright::libraries::dnn
