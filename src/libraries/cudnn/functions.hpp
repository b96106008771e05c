// What cuDNN's functions do; those without a comment keep and give back what a descriptor holds.
#pragma once

#include <initializer_list>

#include "libraries/cudnn/objects.hpp"

namespace warpwright::libraries::dnn {

using Handle = cudnnHandle_t;
/// Where several numbers of a descriptor go; null: it is not wanted.
using Places = std::initializer_list<int*>;
using Numbers = std::initializer_list<int>;

Status create(Handle* handle);
Status destroy(Handle handle);
Status set_stream(Handle handle, cudaStream_t stream);
Status get_stream(Handle handle, cudaStream_t* stream);
Status get_property(libraryPropertyType type, int* value);
Status no_later_error(Status* status);
Status no_callback(unsigned* mask, void** data, void** function);
inline Status nothing_to_do() { return CUDNN_STATUS_SUCCESS; }

template <class Object, class Desc>
Status create_object(Desc* desc) {
    if (!desc) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *desc = static_cast<Desc>(objects<Object>().add(std::make_shared<Object>()));
    return CUDNN_STATUS_SUCCESS;
}
/// Of nothing, nothing is destroyed.
template <class Object, class Desc>
Status destroy_object(Desc desc) {
    return !desc || objects<Object>().take(desc) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

// Descriptors of tensors and filters (shapes.cpp).
Status set_packed(void* desc, cudnnTensorFormat_t format, cudnnDataType_t type, Numbers size);
Status set_packed_nd(void* desc, cudnnTensorFormat_t format, cudnnDataType_t type, int dims, const int* size);
Status set_strided(void* desc, cudnnDataType_t type, Numbers size, Numbers apart);
Status set_strided_nd(void* desc, cudnnDataType_t type, int dims, const int* size, const int* apart);
Status get_tensor_4d(void* desc, cudnnDataType_t* type, Places size, Places apart);
Status get_tensor_nd(void* desc, int wanted, cudnnDataType_t* type, int* dims, int* size, int* apart);
Status get_filter_4d(void* desc, cudnnDataType_t* type, cudnnTensorFormat_t* format, Places size);
Status get_filter_nd(void* desc, int wanted, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* dims, int* size);
Status get_bytes(void* desc, size_t* bytes);

// Single elements (elements.cpp). alpha and beta lie in the host's memory: doubles where the tensors are, else floats.
Status fill(Handle h, void* y_desc, void* y, const void* value);
Status scale(Handle h, void* y_desc, void* y, const void* alpha);
/// c = alpha a + beta c, where a has one element for several of c's where its size is 1.
Status add(Handle h, const void* alpha, void* a_desc, const void* a, const void* beta, void* c_desc, void* c);
Status transform(Handle h, const void* alpha, void* x_desc, const void* x, const void* beta, void* y_desc, void* y);
Status set_two_operands(void* desc, cudnnOpTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan);
Status get_two_operands(void* desc, cudnnOpTensorOp_t* op, cudnnDataType_t* type, cudnnNanPropagation_t* nan);
Status two_operands(Handle h, void* op, const void* alpha_a, void* a_desc, const void* a, const void* alpha_b,
                    void* b_desc, const void* b, const void* beta, void* c_desc, void* c);
Status set_activation(void* desc, cudnnActivationMode_t mode, cudnnNanPropagation_t nan, double coefficient);
Status get_activation(void* desc, cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan, double* coefficient);
Status set_swish(void* desc, double beta);
Status get_swish(void* desc, double* beta);
Status activate(Handle h, void* activation, const void* alpha, void* x_desc, const void* x, const void* beta,
                void* y_desc, void* y);
Status activate_back(Handle h, void* activation, const void* alpha, void* y_desc, const void* y, void* dy_desc,
                     const void* dy, void* x_desc, const void* x, const void* beta, void* dx_desc, void* dx);
Status get_dropout_states(Handle h, size_t* bytes);
Status get_dropout_reserve(void* x_desc, size_t* bytes);
Status set_dropout(void* desc, Handle h, float dropped, void* states, size_t bytes, unsigned long long seed);
Status get_dropout(void* desc, Handle h, float* dropped, void** states, unsigned long long* seed);
Status drop(Handle h, void* dropout, void* x_desc, const void* x, void* y_desc, void* y, void* reserve, size_t bytes);
Status drop_back(Handle h, void* dropout, void* dy_desc, const void* dy, void* dx_desc, void* dx, void* reserve,
                 size_t bytes);

// Lines of elements (lines.cpp).
Status softmax(Handle h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void* alpha, void* x_desc,
               const void* x, const void* beta, void* y_desc, void* y);
Status softmax_back(Handle h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void* alpha,
                    void* y_desc, const void* y, void* dy_desc, const void* dy, const void* beta, void* dx_desc,
                    void* dx);
Status set_reduction(void* desc, const Reduction& reduction);
Status get_reduction(void* desc, cudnnReduceTensorOp_t* op, cudnnDataType_t* type, cudnnNanPropagation_t* nan,
                     cudnnReduceTensorIndices_t* indices, cudnnIndicesType_t* of);
/// No memory is needed.
Status get_reduction_room(Handle h, void* a_desc, void* c_desc, size_t* bytes);
Status reduce(Handle h, void* reduction, const void* alpha, void* a_desc, const void* a, const void* beta, void* c_desc,
              void* c);
Status derive_norm(void* desc, void* x_desc, cudnnBatchNormMode_t mode);
struct NormTraining {
    const void *scale, *bias;
    void *mean, *variance, *saved_mean, *saved_inverse;
    double factor, epsilon;
};
Status normalise(Handle h, cudnnBatchNormMode_t mode, const void* alpha, const void* beta, void* x_desc, const void* x,
                 void* y_desc, void* y, void* of, const NormTraining& n);
Status normalise_by(Handle h, cudnnBatchNormMode_t mode, const void* alpha, const void* beta, void* x_desc,
                    const void* x, void* y_desc, void* y, void* of, const void* scale, const void* bias,
                    const void* mean, const void* variance, double epsilon);
struct NormFactors {
    const void *alpha, *beta, *alpha_parameters, *beta_parameters;
};
Status normalise_back(Handle h, cudnnBatchNormMode_t mode, const NormFactors& f, void* x_desc, const void* x,
                      void* dy_desc, const void* dy, void* dx_desc, void* dx, void* of, const void* scale, void* dscale,
                      void* dbias, double epsilon, const void* mean, const void* inverse);

// Pooling (pooling.cpp).
Status set_pool(void* desc, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int dims, const int* window,
                const int* pad, const int* stride);
Status set_pool_2d(void* desc, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, Numbers window, Numbers pad,
                   Numbers stride);
Status get_pool(void* desc, int wanted, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* dims, int* window,
                int* pad, int* stride);
Status get_pool_2d(void* desc, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, Places numbers);
Status get_pool_size(void* desc, void* x_desc, int dims, int* size);
Status get_pool_size_2d(void* desc, void* x_desc, Places size);
Status pool_forward(Handle h, void* pool, const void* alpha, void* x_desc, const void* x, const void* beta,
                    void* y_desc, void* y);
Status pool_back(Handle h, void* pool, const void* alpha, void* y_desc, const void* y, void* dy_desc, const void* dy,
                 void* x_desc, const void* x, const void* beta, void* dx_desc, void* dx);

// Convolutions (filtering.cpp, convolution.cpp). One algorithm computes them all, whichever is named, without work
// space.
Status set_filtering(void* desc, int dims, const int* pad, const int* stride, const int* dilation,
                     cudnnConvolutionMode_t mode, cudnnDataType_t type);
Status set_filtering_2d(void* desc, Numbers pad, Numbers stride, Numbers dilation, cudnnConvolutionMode_t mode,
                        cudnnDataType_t type);
Status get_filtering(void* desc, int wanted, int* dims, int* pad, int* stride, int* dilation,
                     cudnnConvolutionMode_t* mode, cudnnDataType_t* type);
Status get_filtering_2d(void* desc, Places numbers, cudnnConvolutionMode_t* mode, cudnnDataType_t* type);
Status set_math(void* desc, cudnnMathType_t type);
Status get_math(void* desc, cudnnMathType_t* type);
Status set_groups(void* desc, int groups);
Status get_groups(void* desc, int* groups);
Status set_reorder(void* desc, cudnnReorderType_t type);
Status get_reorder(void* desc, cudnnReorderType_t* type);
Status get_filtered_size(void* desc, void* x_desc, void* w_desc, int dims, int* size);
Status get_filtered_size_2d(void* desc, void* x_desc, void* w_desc, Places size);
/// The descriptors of a convolution, in whichever direction.
struct Three {
    void *x, *w, *y;
};
/// Whether there is a convolution of these, which is looked at before it is promised.
Status check(Handle h, const Three& of, void* desc);
Status get_algorithms(Handle h, int* count);
Status convolve(Handle h, const void* alpha, const Three& of, const void* x, const void* w, void* desc, int algorithm,
                const void* beta, void* y);
Status convolve_and_activate(Handle h, const void* alpha, const Three& of, const void* x, const void* w, void* desc,
                             int algorithm, const void* alpha_z, void* z_desc, const void* z, void* bias_desc,
                             const void* bias, void* activation, void* y);
Status convolve_back_bias(Handle h, const void* alpha, void* dy_desc, const void* dy, const void* beta, void* db_desc,
                          void* db);
Status convolve_back_data(Handle h, const void* alpha, const Three& of, const void* w, const void* dy, void* desc,
                          int algorithm, const void* beta, void* dx);
Status convolve_back_filter(Handle h, const void* alpha, const Three& of, const void* x, const void* dy, void* desc,
                            int algorithm, const void* beta, void* dw);

/// The one algorithm there is: of the forward 1 (by an implicit product of matrices), of the gradients 1 too.
inline constexpr int kAlgorithm = 1;
template <class Performance>
Status find_algorithms(Handle h, const Three& of, void* desc, int wanted, int* found, Performance* results) {
    if (!results || !found || wanted < 1) return CUDNN_STATUS_BAD_PARAM;
    if (const auto s = check(h, of, desc); s != CUDNN_STATUS_SUCCESS) return s;
    *results = {};
    results->algo = static_cast<decltype(results->algo)>(kAlgorithm);
    results->determinism = CUDNN_DETERMINISTIC;
    *found = 1;
    return get_math(desc, &results->mathType);
}
template <class Algorithm>
Status get_workspace(Handle h, const Three& of, void* desc, Algorithm, size_t* bytes) {
    if (!bytes) return CUDNN_STATUS_BAD_PARAM;
    *bytes = 0;
    return check(h, of, desc);
}

}  // namespace warpwright::libraries::dnn
