// The descriptors of convolutions, and the sizes of what they give.
#include <algorithm>
#include <iterator>

#include "libraries/cudnn/convolution.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// Sets one part of a descriptor.
template <class T>
Status put(void* desc, T Filtering::* part, const T& value) {
    const auto to = find<Filtering>(desc);
    if (!to) return kWrong;
    (*to).*part = value;
    return kDone;
}
template <class T>
Status get(void* desc, T Filtering::* part, T* to) {
    const auto f = find<Filtering>(desc);
    if (!f || !to) return kWrong;
    *to = (*f).*part;
    return kDone;
}

}  // namespace

std::optional<Shape> filtered(const Filtering& f, const Shape& x, const Shape& w) {
    if (f.dims == 0 || x.dims != f.dims + 2 || w.dims != x.dims) return {};
    if (std::int64_t{w.size[1]} * f.groups != x.size[1] || w.size[0] % f.groups != 0) return {};
    Shape out = x;
    out.size[1] = w.size[0];
    for (std::size_t k = 0; k < static_cast<std::size_t>(f.dims); ++k) {
        const std::int64_t extent = std::int64_t{w.size[2 + k] - 1} * f.dilation[k] + 1;
        const std::int64_t room = std::int64_t{x.size[2 + k]} + 2 * std::int64_t{f.pad[k]} - extent;
        if (room < 0) return {};
        out.size[2 + k] = static_cast<int>(room / f.stride[k] + 1);
    }
    return out;
}

Status set_filtering(void* desc, int dims, const int* pad, const int* stride, const int* dilation,
                     cudnnConvolutionMode_t mode, cudnnDataType_t type) {
    const auto to = find<Filtering>(desc);
    if (!to || dims < 1 || !pad || !stride || !dilation) return kWrong;
    if (mode != CUDNN_CONVOLUTION && mode != CUDNN_CROSS_CORRELATION) return kWrong;
    if (dims > 3) return refuse("a convolution in more than three dimensions");
    Filtering f = *to;
    f.dims = dims, f.mode = mode, f.type = type;
    // Sums of places stay below 2^31.
    constexpr int kMost = 1 << 20;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dims); ++k) {
        if (pad[k] < 0 || pad[k] > kMost || stride[k] < 1 || stride[k] > kMost || dilation[k] < 1 ||
            dilation[k] > kMost)
            return kWrong;
        f.pad[k] = pad[k], f.stride[k] = stride[k], f.dilation[k] = dilation[k];
    }
    *to = f;
    return kDone;
}
Status set_filtering_2d(void* desc, Numbers pad, Numbers stride, Numbers dilation, cudnnConvolutionMode_t mode,
                        cudnnDataType_t type) {
    return set_filtering(desc, 2, std::data(pad), std::data(stride), std::data(dilation), mode, type);
}
Status get_filtering(void* desc, int wanted, int* dims, int* pad, int* stride, int* dilation,
                     cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
    const auto f = find<Filtering>(desc);
    if (!f || f->dims == 0 || wanted < 0) return kWrong;
    give(f->dims, dims), give(f->mode, mode), give(f->type, type);
    const int n = std::min(wanted, f->dims);
    if (pad) std::copy_n(f->pad.begin(), n, pad);
    if (stride) std::copy_n(f->stride.begin(), n, stride);
    if (dilation) std::copy_n(f->dilation.begin(), n, dilation);
    return kDone;
}
Status get_filtering_2d(void* desc, Places numbers, cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
    const auto f = find<Filtering>(desc);
    if (!f || f->dims != 2) return kWrong;
    give(f->mode, mode), give(f->type, type);
    const int all[] = {f->pad[0], f->pad[1], f->stride[0], f->stride[1], f->dilation[0], f->dilation[1]};
    for (std::size_t k = 0; k < numbers.size(); ++k) give(all[k], std::data(numbers)[k]);
    return kDone;
}
Status set_math(void* desc, cudnnMathType_t type) {
    if (type < CUDNN_DEFAULT_MATH || type > CUDNN_FMA_MATH) return kWrong;
    return put(desc, &Filtering::math, type);
}
Status get_math(void* desc, cudnnMathType_t* type) { return get(desc, &Filtering::math, type); }
Status set_groups(void* desc, int groups) { return groups < 1 ? kWrong : put(desc, &Filtering::groups, groups); }
Status get_groups(void* desc, int* groups) { return get(desc, &Filtering::groups, groups); }
Status set_reorder(void* desc, cudnnReorderType_t type) { return put(desc, &Filtering::reorder, type); }
Status get_reorder(void* desc, cudnnReorderType_t* type) { return get(desc, &Filtering::reorder, type); }

Status get_filtered_size(void* desc, void* x_desc, void* w_desc, int dims, int* size) {
    const auto f = find<Filtering>(desc);
    const auto x = find<Shape>(x_desc), w = find<Shape>(w_desc);
    if (!f || !x || !w || !size || dims != x->dims) return kWrong;
    const auto out = filtered(*f, *x, *w);
    if (!out) return kWrong;
    std::copy_n(out->size.begin(), dims, size);
    return kDone;
}
Status get_filtered_size_2d(void* desc, void* x_desc, void* w_desc, Places size) {
    int out[4] = {};
    if (const auto s = get_filtered_size(desc, x_desc, w_desc, 4, out); s != kDone) return s;
    for (std::size_t k = 0; k < size.size(); ++k) give(out[k], std::data(size)[k]);
    return kDone;
}

}  // namespace warpwright::libraries::dnn
