// Handles, and the descriptors of tensors and filters.
#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {

std::size_t bytes_of_element(int type) {
    switch (type) {
        case CUDNN_DATA_DOUBLE:
        case CUDNN_DATA_INT64:
            return 8;
        case CUDNN_DATA_HALF:
        case CUDNN_DATA_BFLOAT16:
            return 2;
        case CUDNN_DATA_INT8:
        case CUDNN_DATA_UINT8:
        case CUDNN_DATA_BOOLEAN:
        case CUDNN_DATA_BYTE_BOOLEAN:
        case CUDNN_DATA_FP8_E4M3:
        case CUDNN_DATA_FP8_E5M2:
            return 1;
        default:
            return 4;
    }
}

namespace {

bool known(cudnnDataType_t type) { return type >= CUDNN_DATA_FLOAT && type <= CUDNN_DATA_FP8_E5M2; }

/// Puts it into the descriptor, if elements can be numbered by 31 bits, as our kernels do.
Status keep(void* desc, const Shape& shape) {
    const auto to = find<Shape>(desc);
    if (!to) return kWrong;
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    std::int64_t count = 1, last = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dims); ++d) {
        if (shape.size[d] < 1 || shape.apart[d] < 0) return kWrong;
        count *= shape.size[d];
        last += std::int64_t{shape.size[d] - 1} * shape.apart[d];
        if (count > kMost || last >= kMost) return refuse("a tensor of 2^31 elements or more");
    }
    *to = shape;
    return CUDNN_STATUS_SUCCESS;
}

Status set(void* desc, cudnnTensorFormat_t format, cudnnDataType_t type, int dims, const int* size, const int* apart) {
    if (!known(type) || dims < 1 || dims > CUDNN_DIM_MAX || !size) return kWrong;
    if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC)
        return format == CUDNN_TENSOR_NCHW_VECT_C ? refuse("the format NCHW_VECT_C") : kWrong;
    Shape shape;
    shape.type = type, shape.format = format, shape.dims = dims;
    std::copy_n(size, dims, shape.size.begin());
    if (apart) {
        std::copy_n(apart, dims, shape.apart.begin());
        return keep(desc, shape);
    }
    // Channels lie behind the others in one format, in their place in the other.
    std::vector<std::size_t> order;
    for (int d = 0; d < dims; ++d)
        if (format == CUDNN_TENSOR_NCHW || d != 1) order.push_back(static_cast<std::size_t>(d));
    if (format == CUDNN_TENSOR_NHWC && dims > 1) order.push_back(1);
    std::int64_t next = 1;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        if (size[*d] < 1) return kWrong;
        shape.apart[*d] = static_cast<int>(next);
        next *= size[*d];
        if (next > std::numeric_limits<int>::max()) return refuse("a tensor of 2^31 elements or more");
    }
    return keep(desc, shape);
}

void give(const std::array<int, CUDNN_DIM_MAX>& from, Places to) {
    for (std::size_t d = 0; d < to.size(); ++d)
        if (int* const at = std::data(to)[d]) *at = from[d];
}
}  // namespace

Status create(Handle* handle) {
    if (!handle) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *handle = static_cast<Handle>(objects<Context>().add(std::make_shared<Context>()));
    return CUDNN_STATUS_SUCCESS;
}
Status destroy(Handle handle) {
    return objects<Context>().take(handle) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_INITIALIZED;
}
Status set_stream(Handle handle, cudaStream_t stream) {
    const auto context = find<Context>(handle);
    if (!context) return CUDNN_STATUS_NOT_INITIALIZED;
    context->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}
Status get_stream(Handle handle, cudaStream_t* stream) {
    const auto context = find<Context>(handle);
    if (!context) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!stream) return kWrong;
    *stream = context->stream;
    return CUDNN_STATUS_SUCCESS;
}
Status get_property(libraryPropertyType type, int* value) {
    constexpr int kVersion[] = {CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return kWrong;
    *value = kVersion[type];
    return CUDNN_STATUS_SUCCESS;
}
Status no_later_error(Status* status) {
    give(CUDNN_STATUS_SUCCESS, status);
    return CUDNN_STATUS_SUCCESS;
}
Status no_callback(unsigned* mask, void** data, void** function) {
    give(0u, mask);
    give(static_cast<void*>(nullptr), data);
    give(static_cast<void*>(nullptr), function);
    return CUDNN_STATUS_SUCCESS;
}

Status set_packed_nd(void* desc, cudnnTensorFormat_t format, cudnnDataType_t type, int dims, const int* size) {
    return set(desc, format, type, dims, size, nullptr);
}
Status set_packed(void* desc, cudnnTensorFormat_t format, cudnnDataType_t type, Numbers size) {
    return set(desc, format, type, static_cast<int>(size.size()), std::data(size), nullptr);
}
Status set_strided_nd(void* desc, cudnnDataType_t type, int dims, const int* size, const int* apart) {
    return apart ? set(desc, CUDNN_TENSOR_NCHW, type, dims, size, apart) : kWrong;
}
Status set_strided(void* desc, cudnnDataType_t type, Numbers size, Numbers apart) {
    return set(desc, CUDNN_TENSOR_NCHW, type, static_cast<int>(size.size()), std::data(size), std::data(apart));
}
Status get_tensor_4d(void* desc, cudnnDataType_t* type, Places size, Places apart) {
    const auto shape = find<Shape>(desc);
    if (!shape || shape->dims != 4) return kWrong;
    give(shape->type, type);
    give(shape->size, size);
    give(shape->apart, apart);
    return CUDNN_STATUS_SUCCESS;
}
Status get_tensor_nd(void* desc, int wanted, cudnnDataType_t* type, int* dims, int* size, int* apart) {
    const auto shape = find<Shape>(desc);
    if (!shape || shape->dims == 0 || wanted < 0) return kWrong;
    give(shape->type, type);
    give(shape->dims, dims);
    const int n = std::min(wanted, shape->dims);
    if (size) std::copy_n(shape->size.begin(), n, size);
    if (apart) std::copy_n(shape->apart.begin(), n, apart);
    return CUDNN_STATUS_SUCCESS;
}
Status get_filter_4d(void* desc, cudnnDataType_t* type, cudnnTensorFormat_t* format, Places size) {
    const auto shape = find<Shape>(desc);
    if (!shape) return kWrong;
    give(shape->format, format);
    return get_tensor_4d(desc, type, size, {});
}
Status get_filter_nd(void* desc, int wanted, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* dims, int* size) {
    const auto shape = find<Shape>(desc);
    if (!shape) return kWrong;
    give(shape->format, format);
    return get_tensor_nd(desc, wanted, type, dims, size, nullptr);
}
Status get_bytes(void* desc, size_t* bytes) {
    const auto shape = find<Shape>(desc);
    if (!shape || shape->dims == 0 || !bytes) return kWrong;
    *bytes = static_cast<std::size_t>(shape->reach()) * bytes_of_element(shape->type);
    return CUDNN_STATUS_SUCCESS;
}

}  // namespace warpwright::libraries::dnn
