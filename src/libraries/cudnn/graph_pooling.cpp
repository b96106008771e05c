// Pooling in graphs, and its gradients.
#include "libraries/cudnn/graph_images.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// A whole number of a resampling's attribute, kept as fractions.
bool whole_numbers(const std::vector<i64>& fractions, std::vector<i64>& to) {
    for (std::size_t k = 0; k + 1 < fractions.size(); k += 2) {
        const i64 over = fractions[k], under = fractions[k + 1];
        if (under == 0 || under < -(i64{1} << 40) || over < -(i64{1} << 40) || over % under != 0) return false;
        to.push_back(over / under);
    }
    return true;
}

/// Whether what stands beyond the edges is not what the kernels take there: nothing for the largest, zeros for a mean.
bool has_other_edges(const Descriptor& d, bool largest) {
    const int own = largest ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD;
    if (integer(d, CUDNN_ATTR_RESAMPLE_PADDING_MODE, own) == own) return false;
    for (const int attribute : {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_ATTR_RESAMPLE_POST_PADDINGS}) {
        const auto& fractions = integers(d, attribute);
        for (std::size_t k = 0; k < fractions.size(); k += 2)
            if (fractions[k] != 0) return true;
    }
    return false;
}

Status describe_pool(const Descriptor& d, const Tensor& x, ww_dnn::Pooling& p) {
    const i64 mode = integer(d, CUDNN_ATTR_RESAMPLE_MODE, -1), dims = integer(d, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 0);
    if (mode == CUDNN_RESAMPLE_MAXPOOL)
        p.mode = CUDNN_POOLING_MAX;
    else if (mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING)
        p.mode = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    else if (mode == CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING)
        p.mode = CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    else
        return refuse("a resampling other than pooling");
    if (has_other_edges(d, p.mode == CUDNN_POOLING_MAX)) return refuse("pooling with such edges");
    if (dims < 1 || dims > 3 || x.dims != dims + 2) return kWrong;
    std::vector<i64> window, stride, pad;
    if (!whole_numbers(integers(d, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS), window) ||
        !whole_numbers(integers(d, CUDNN_ATTR_RESAMPLE_STRIDES), stride) ||
        !whole_numbers(integers(d, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS), pad))
        return refuse("a resampling by fractions");
    if (window.empty() || !into_three(window, dims, 1, p.window, 1) || !into_three(stride, dims, 1, p.stride, 1) ||
        !into_three(pad, dims, 0, p.pad, 0))
        return kWrong;
    // A window must have an element of x, or there is nothing to take.
    for (int k = 0; k < 3; ++k)
        if (p.pad[k] >= p.window[k] && p.pad[k] > 0) return kWrong;
    p.keep_nan = integer(d, CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, CUDNN_PROPAGATE_NAN) == CUDNN_PROPAGATE_NAN;
    return kDone;
}
/// Whether the windows begin within x.
bool windows_fit(const Tensor& x, const Tensor& y, const ww_dnn::Pooling& p) {
    if (x.dims != y.dims || x.size[0] != y.size[0] || x.size[1] != y.size[1]) return false;
    for (int d = 2; d < x.dims; ++d) {
        const auto at = static_cast<std::size_t>(d);
        const int k = d - 2 + (5 - x.dims);
        if ((y.size[at] - 1) * p.stride[k] - p.pad[k] >= x.size[at]) return false;
    }
    return true;
}

}  // namespace

Status read_resample(const Descriptor& operation, Plan& plan) {
    const bool forward = operation.kind == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR;
    const auto d =
        part(operation, forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC);
    if (!d) return kWrong;
    if (part(operation,
             forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC))
        return refuse("pooling with the places of the largest");
    std::optional<Tensor> x, y;
    Tensor out, dy;
    ww_dnn::Pooling p{};
    if (forward) {
        Tensor in;
        for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, in),
                             tensor_at(operation, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, out)})
            if (s != kDone) return s;
        x = in, y = out;
        p.alpha = real(operation, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA, 1);
        p.beta = real(operation, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_BETA, 0);
    } else {
        for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, out),
                             tensor_at(operation, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, dy),
                             tensor_if(operation, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, x)})
            if (s != kDone) return s;
        p.alpha = real(operation, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_ALPHA, 1);
        p.beta = real(operation, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_BETA, 0);
    }
    const Tensor of_x = forward ? *x : out, of_y = forward ? out : dy;
    if (const auto s = describe_pool(*d, of_x, p); s != kDone) return s;
    if (!windows_fit(of_x, of_y, p)) return kWrong;
    const bool largest = p.mode == CUDNN_POOLING_MAX;
    if (!forward && largest && (!x || !x->same_sizes(out))) return refuse("a gradient of pooling without x");
    for (const Tensor* t : {&of_x, &of_y, x ? &*x : &of_x})
        if (!is_float(t->type) || (t->type == CUDNN_DATA_DOUBLE) != (of_x.type == CUDNN_DATA_DOUBLE))
            return refuse("pooling of such types");
    const std::string kernel = std::string("dnn_pool_") + (largest ? "most" : "mean") + (forward ? "" : "_gradient") +
                               arithmetic_of({&of_x, &of_y});
    const bool reads_x = forward || largest;
    const Tensor seen = x.value_or(out);
    return plan.add({reads_x ? &seen : nullptr, forward ? nullptr : &dy, p.beta != 0 ? &out : nullptr}, {&out},
                    [=](const Run& run) {
                        auto argument = p;
                        argument.out = image_of(out, run.at(out));
                        argument.x = reads_x ? image_of(seen, run.at(seen)) : argument.out;
                        if (!forward) argument.dy = argument.y = image_of(dy, run.at(dy));
                        return launch_elements(run.handle, Code::pooling, kernel, out.count(), &argument);
                    });
}

}  // namespace warpwright::libraries::dnn
