// What the handles and descriptors of cuDNN stand for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "support/handle_table.hpp"
#include "warpwright/cudnn_types.h"

namespace warpwright::libraries::dnn {

using Status = cudnnStatus_t;

/// What a program's handle stands for.
struct Context {
    cudaStream_t stream = nullptr;
};
/// A tensor or a filter without its memory; `dims` is 0 until it is set. Strides are in elements.
struct Shape {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
    int dims = 0;
    std::array<int, CUDNN_DIM_MAX> size{}, apart{};

    std::int64_t count() const;
    /// From the first element to the last one.
    std::int64_t reach() const;
    bool same_sizes(const Shape& other) const;
};
struct TwoOperands {
    cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
};
struct Activation {
    cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
    cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
    double coefficient = 0, swish = 1;
    double its_coefficient() const { return mode == CUDNN_ACTIVATION_SWISH ? swish : coefficient; }
};
struct Dropout {
    float dropped = 0;
    void* states = nullptr;
    std::uint64_t seed = 0, launches = 0;
};
struct Reduction {
    cudnnReduceTensorOp_t op = CUDNN_REDUCE_TENSOR_ADD;
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
    cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
    cudnnIndicesType_t of = CUDNN_32BIT_INDICES;
};
/// Pooling and convolution have one to three dimensions; 0 until they are set.
struct Pool {
    cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
    cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
    int dims = 0;
    std::array<int, 3> window{}, pad{}, stride{};
};
struct Filtering {
    int dims = 0, groups = 1;
    std::array<int, 3> pad{}, stride{}, dilation{};
    cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
    cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
};

/// The objects of a kind by their handles, which are all of one type here.
template <class Object>
HandleTable<void*, Object>& objects() {
    static auto* all = new HandleTable<void*, Object>;
    return *all;
}
/// The object of a handle; null where it stands for nothing.
template <class Object, class Handle>
std::shared_ptr<Object> find(Handle handle) {
    return objects<Object>().find(static_cast<void*>(handle));
}

}  // namespace warpwright::libraries::dnn
