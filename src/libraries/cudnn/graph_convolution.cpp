// Convolutions in graphs and their gradients.
#include "libraries/cudnn/graph_images.hpp"

namespace warpwright::libraries::dnn {

ww_dnn::Image image_of(const Tensor& t, void* at) {
    ww_dnn::Image out{};
    out.at = at, out.type = t.type;
    const int missing = 5 - t.dims;
    for (int d = 0; d < 5; ++d) {
        const int from = d < 2 ? d : d - missing;
        const bool there = d < 2 || from >= 2;
        out.size[d] = there ? static_cast<int>(t.size[static_cast<std::size_t>(from)]) : 1;
        out.apart[d] = there ? t.apart[static_cast<std::size_t>(from)] : 0;
    }
    return out;
}
bool is_float(int type) {
    return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
           type == CUDNN_DATA_BFLOAT16;
}

bool into_three(const std::vector<i64>& from, i64 dims, i64 least, int (&to)[3], int otherwise) {
    constexpr i64 kMost = 1 << 20;
    if (static_cast<i64>(from.size()) != dims && !from.empty()) return false;
    for (int k = 0; k < 3; ++k) to[k] = otherwise;
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k] < least || from[k] > kMost) return false;
        to[3 - from.size() + k] = static_cast<int>(from[k]);
    }
    return true;
}

namespace {

constexpr i64 kMostTiles = 65535;
i64 tiles(i64 n, i64 of) { return (n + of - 1) / of; }

/// Whether x by w can be y.
bool goes_together(const Tensor& x, const Tensor& w, const Tensor& y, const ww_dnn::Convolution& c,
                   const int (&post)[3]) {
    if (x.dims != w.dims || x.dims != y.dims || x.size[0] != y.size[0] || w.size[0] != y.size[1]) return false;
    if (x.size[1] % w.size[1] != 0 || w.size[0] % (x.size[1] / w.size[1]) != 0) return false;
    for (int d = 2; d < x.dims; ++d) {
        const auto at = static_cast<std::size_t>(d);
        const int k = d - 2 + (5 - x.dims);
        const i64 room = x.size[at] + c.pad[k] + post[k] - ((w.size[at] - 1) * c.dilation[k] + 1);
        if (room < 0 || room / c.stride[k] + 1 != y.size[at]) return false;
    }
    return true;
}

struct Direction {
    int conv, x, w, y, alpha, beta;
    const char* kernel;
};
Direction direction_of(int kind) {
    if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
        return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                "convolution"};
    if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
        return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                "convolution_data"};
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
            "convolution_filter"};
}

/// The file with the kernels for a convolution's types, and how their names end.
std::pair<Code, const char*> kernels_of(const Tensor& x, const Tensor& w, const Tensor& y) {
    if (x.type != w.type || x.type != y.type) return {Code::convolution_mixed, "_mixed"};
    switch (x.type) {
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
bool is_linear(const Tensor& w) {
    i64 next = 1;
    for (auto d = static_cast<std::size_t>(w.dims); d-- > 1;) {
        if (w.size[d] > 1 && w.apart[d] != next) return false;
        next *= w.size[d];
    }
    return true;
}

Status describe(const Descriptor& d, const Tensor& x, const Tensor& w, const Tensor& y, ww_dnn::Convolution& c) {
    const i64 dims = integer(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 0);
    if (dims < 1 || x.dims != dims + 2) return kWrong;
    if (dims > 3) return refuse("a convolution in more than three dimensions");
    int post[3];
    if (!into_three(integers(d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS), dims, 0, c.pad, 0) ||
        !into_three(integers(d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS), dims, 0, post, 0) ||
        !into_three(integers(d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES), dims, 1, c.stride, 1) ||
        !into_three(integers(d, CUDNN_ATTR_CONVOLUTION_DILATIONS), dims, 1, c.dilation, 1))
        return kWrong;
    if (!goes_together(x, w, y, c, post)) return kWrong;
    c.groups = static_cast<int>(x.size[1] / w.size[1]);
    c.flipped = integer(d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION) == CUDNN_CONVOLUTION;
    c.w_linear = is_linear(w);
    c.activation = -1;
    return kDone;
}

}  // namespace

Status read_convolution(const Descriptor& operation, Plan& plan) {
    const Direction of = direction_of(operation.kind);
    const auto d = part(operation, of.conv);
    if (!d) return kWrong;
    Tensor x, w, y;
    for (const auto s : {tensor_at(operation, of.x, x), tensor_at(operation, of.w, w), tensor_at(operation, of.y, y)})
        if (s != kDone) return s;
    ww_dnn::Convolution c{};
    if (const auto s = describe(*d, x, w, y, c); s != kDone) return s;
    c.alpha = real(operation, of.alpha, 1), c.beta = real(operation, of.beta, 0);
    for (const Tensor* t : {&x, &w, &y})
        if (!is_float(t->type)) return refuse("a convolution of integers or small floats");
    const bool doubles = x.type == CUDNN_DATA_DOUBLE;
    if (doubles != (w.type == CUDNN_DATA_DOUBLE) || doubles != (y.type == CUDNN_DATA_DOUBLE))
        return refuse("a convolution of doubles and other numbers");
    if (c.groups > kMostTiles) return refuse("a convolution of more than 65,535 groups");
    const bool forward = of.x == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X;
    const bool to_x = of.x == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX;
    const Tensor& out = forward ? y : to_x ? x : w;
    const i64 rows = to_x ? w.size[1] : w.size[0] / c.groups;
    const i64 columns = forward ? y.count() / y.size[1] : to_x ? x.count() / x.size[1] : w.count() / w.size[0];
    constexpr i64 kFew = 16, kMany = 64, kColumns = 64;
    const bool few = rows <= 2 * kFew;
    if (tiles(rows, few ? kFew : kMany) > kMostTiles) return refuse("a convolution of more than 4,194,240 channels");
    const dim3 grid(static_cast<unsigned>(tiles(columns, kColumns)),
                    static_cast<unsigned>(tiles(rows, few ? kFew : kMany)), static_cast<unsigned>(c.groups));
    const auto [code, suffix] = kernels_of(x, w, y);
    const std::string kernel = std::string("dnn_") + of.kernel + (few ? "_few" : "_many") + suffix;
    const bool adds = c.beta != 0;
    return plan.add({forward || !to_x ? &x : nullptr, forward || to_x ? &w : nullptr, forward ? nullptr : &y,
                     adds ? &out : nullptr},
                    {&out}, [=, code = code](const Run& run) {
                        auto argument = c;
                        argument.x = image_of(x, run.at(x)), argument.w = image_of(w, run.at(w)),
                        argument.y = image_of(y, run.at(y));
                        argument.z = argument.y;
                        return launch(run.handle, code, kernel, grid, &argument);
                    });
}

}  // namespace warpwright::libraries::dnn
