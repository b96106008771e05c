// Operations' descriptors, each by its reader. Those that are not there are named in a line.
#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// An operation's name as programs know it.
const char* name_of(int kind) {
    switch (kind) {
#define WW_CUDNN_DESCRIPTOR(name, number) \
    case number:                          \
        return #name;
#include "warpwright/cudnn_backend.inc"
    }
    return "";
}

}  // namespace

bool is_operation(int kind) { return std::string(name_of(kind)).starts_with("OPERATION_"); }

Status tensor_at(const Descriptor& of, int attribute, Tensor& to) {
    const auto d = part(of, attribute);
    if (!d) return kWrong;
    if (d->values.contains(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC)) return refuse("a graph's tensor of ragged rows");
    if (integer(*d, CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) > 1) return refuse("a graph's tensor of vectors");
    if (integer(*d, CUDNN_ATTR_TENSOR_REORDERING_MODE, 0) != 0) return refuse("a graph's reordered tensor");
    return tensor_of(*d, to);
}
Status tensor_if(const Descriptor& of, int attribute, std::optional<Tensor>& to) {
    if (!part(of, attribute)) return kDone;
    Tensor t;
    const auto s = tensor_at(of, attribute, t);
    if (s == kDone) to = t;
    return s;
}

Status read_operation(const Descriptor& operation, Plan& plan) {
    switch (operation.kind) {
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
            return read_convolution(operation, plan);
        case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
            return read_pointwise(operation, plan);
        case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
            return read_matmul(operation, plan);
        case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
            return read_reduction(operation, plan);
        case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
            return read_norm(operation, plan);
        case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
            return read_norm_gradient(operation, plan);
        case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
        case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
            return read_resample(operation, plan);
        case CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR:
            return read_softmax(operation, plan);
        case CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR:
            return read_band_mask(operation, plan);
        case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR:
            return read_random(operation, plan);
        case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
            return read_reshape(operation, plan);
        case CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR:
            return read_transpose(operation, plan);
        case CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR:
            return read_slice(operation, plan);
        case CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR:
            return read_concat(operation, plan);
        case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
            return read_statistics(operation, plan);
        case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
            return read_attention(operation, plan);
        default:
            return is_operation(operation.kind) ? refuse("a graph's operation " + std::string(name_of(operation.kind)))
                                                : kWrong;
    }
}

}  // namespace warpwright::libraries::dnn
