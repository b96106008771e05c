// Pooling: kernels/dnn/pooling.cu.
#include <algorithm>
#include <iterator>

#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// The sizes of a pooled tensor; nothing where there is none.
std::optional<Shape> pooled(const Pool& p, const Shape& x) {
    if (p.dims == 0 || x.dims != p.dims + 2) return {};
    Shape out = x;
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.dims); ++k) {
        const std::int64_t room = std::int64_t{x.size[2 + k]} + 2 * std::int64_t{p.pad[k]} - p.window[k];
        if (room < 0) return {};
        out.size[2 + k] = static_cast<int>(room / p.stride[k] + 1);
    }
    return out;
}

/// The kernels' argument but for the images: missing dimensions come first, and have a window of one.
ww_dnn::Pooling plain(const Pool& p, cudnnDataType_t type, const void* alpha, const void* beta) {
    ww_dnn::Pooling out{};
    out.mode = p.mode, out.keep_nan = p.nan == CUDNN_PROPAGATE_NAN;
    for (int k = 0; k < 3; ++k) {
        const int from = k - (3 - p.dims);
        const auto at = static_cast<std::size_t>(std::max(0, from));
        out.window[k] = from < 0 ? 1 : p.window[at];
        out.pad[k] = from < 0 ? 0 : p.pad[at];
        out.stride[k] = from < 0 ? 1 : p.stride[at];
    }
    out.alpha = factor(alpha, type, 1), out.beta = factor(beta, type, 0);
    return out;
}

std::string kernel_of(const Pool& p, const char* what) {
    const bool most = p.mode == CUDNN_POOLING_MAX || p.mode == CUDNN_POOLING_MAX_DETERMINISTIC;
    return std::string(most ? "dnn_pool_most" : "dnn_pool_mean") + what;
}

bool together(const Shape& a, const Shape& b) {
    return (a.type == CUDNN_DATA_DOUBLE) == (b.type == CUDNN_DATA_DOUBLE) && has_kernels(a.type) && has_kernels(b.type);
}

}  // namespace

Status set_pool(void* desc, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int dims, const int* window,
                const int* pad, const int* stride) {
    const auto to = find<Pool>(desc);
    if (!to || dims < 1 || !window || !pad || !stride) return kWrong;
    if (mode < CUDNN_POOLING_MAX || mode > CUDNN_POOLING_MAX_DETERMINISTIC) return kWrong;
    if (dims > 3) return refuse("pooling in more than three dimensions");
    Pool p;
    p.mode = mode, p.nan = nan, p.dims = dims;
    constexpr int kMost = 1 << 20;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dims); ++k) {
        // A window has an element of the image in it.
        if (window[k] < 1 || window[k] > kMost || pad[k] < 0 || pad[k] >= window[k] || stride[k] < 1) return kWrong;
        p.window[k] = window[k], p.pad[k] = pad[k], p.stride[k] = stride[k];
    }
    *to = p;
    return kDone;
}
Status set_pool_2d(void* desc, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, Numbers window, Numbers pad,
                   Numbers stride) {
    return set_pool(desc, mode, nan, 2, std::data(window), std::data(pad), std::data(stride));
}
Status get_pool(void* desc, int wanted, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* dims, int* window,
                int* pad, int* stride) {
    const auto p = find<Pool>(desc);
    if (!p || p->dims == 0 || wanted < 0) return kWrong;
    give(p->mode, mode), give(p->nan, nan), give(p->dims, dims);
    const int n = std::min(wanted, p->dims);
    if (window) std::copy_n(p->window.begin(), n, window);
    if (pad) std::copy_n(p->pad.begin(), n, pad);
    if (stride) std::copy_n(p->stride.begin(), n, stride);
    return kDone;
}
Status get_pool_2d(void* desc, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, Places numbers) {
    const auto p = find<Pool>(desc);
    if (!p || p->dims != 2) return kWrong;
    give(p->mode, mode), give(p->nan, nan);
    const int all[] = {p->window[0], p->window[1], p->pad[0], p->pad[1], p->stride[0], p->stride[1]};
    for (std::size_t k = 0; k < numbers.size(); ++k) give(all[k], std::data(numbers)[k]);
    return kDone;
}
Status get_pool_size(void* desc, void* x_desc, int dims, int* size) {
    const auto p = find<Pool>(desc);
    const auto x = find<Shape>(x_desc);
    if (!p || !x || !size || dims != x->dims) return kWrong;
    const auto out = pooled(*p, *x);
    if (!out) return kWrong;
    std::copy_n(out->size.begin(), dims, size);
    return kDone;
}
Status get_pool_size_2d(void* desc, void* x_desc, Places size) {
    int out[4] = {};
    if (const auto s = get_pool_size(desc, x_desc, 4, out); s != kDone) return s;
    for (std::size_t k = 0; k < size.size(); ++k) give(out[k], std::data(size)[k]);
    return kDone;
}

Status pool_forward(Handle h, void* pool, const void* alpha, void* x_desc, const void* x, const void* beta,
                    void* y_desc, void* y) {
    const auto p = find<Pool>(pool);
    const auto from = find<Shape>(x_desc), to = find<Shape>(y_desc);
    if (!p || !from || !to || !x || !y) return kWrong;
    const auto wanted = pooled(*p, *from);
    if (!wanted || !wanted->same_sizes(*to)) return kWrong;
    if (!together(*from, *to)) return refuse("pooling of such types");
    auto argument = plain(*p, from->type, alpha, beta);
    argument.x = image(*from, x), argument.out = image(*to, y);
    return launch_elements(h, Code::pooling, kernel_of(*p, "") + arithmetic(from->type), to->count(), &argument);
}
Status pool_back(Handle h, void* pool, const void* alpha, void* y_desc, const void* y, void* dy_desc, const void* dy,
                 void* x_desc, const void* x, const void* beta, void* dx_desc, void* dx) {
    const auto p = find<Pool>(pool);
    const auto of_y = find<Shape>(y_desc), of_dy = find<Shape>(dy_desc), of_x = find<Shape>(x_desc),
               to = find<Shape>(dx_desc);
    if (!p || !of_y || !of_dy || !of_x || !to || !y || !dy || !x || !dx) return kWrong;
    const auto wanted = pooled(*p, *of_x);
    if (!wanted || !wanted->same_sizes(*of_y) || !wanted->same_sizes(*of_dy) || !of_x->same_sizes(*to)) return kWrong;
    if (!together(*of_x, *to) || !together(*of_y, *of_dy) || !together(*of_x, *of_y))
        return refuse("pooling of such types");
    auto argument = plain(*p, of_x->type, alpha, beta);
    argument.x = image(*of_x, x), argument.y = image(*of_y, y), argument.dy = image(*of_dy, dy);
    argument.out = image(*to, dx);
    return launch_elements(h, Code::pooling, kernel_of(*p, "_gradient") + arithmetic(of_x->type), to->count(),
                           &argument);
}

}  // namespace warpwright::libraries::dnn
