// How descriptors become the kernels' arguments (kernels/dnn/tensor.cuh), and kernels are queued.
#pragma once

#include <string>
#include <vector>

#include "dnn/tensor.cuh"
#include "libraries/cudnn/functions.hpp"

namespace warpwright::libraries::dnn {

inline constexpr auto kWrong = CUDNN_STATUS_BAD_PARAM;
inline constexpr auto kDone = CUDNN_STATUS_SUCCESS;

/// Gives what a program asks for, if it does.
template <class T>
void give(const T& value, T* to) {
    if (to) *to = value;
}

/// Bytes of an element of a type, whole.
std::size_t bytes_of_element(int type);
/// Whether kernels compute with such elements.
bool has_kernels(cudnnDataType_t type);
/// A line that names what was asked for; CUDNN_STATUS_NOT_SUPPORTED.
Status refuse(const std::string& what);
/// The suffix of the kernels for a type: "_f64" or "_f32".
const char* arithmetic(cudnnDataType_t type);
/// A factor in the host's memory; `otherwise` where it is null.
double factor(const void* at, cudnnDataType_t type, double otherwise);

/// A walk over the positions of `over` where `takes` says so, in several tensors; each has its size there, or one
/// element for all. Neighbouring dimensions that lie alike in all tensors become one.
ww_dnn::Walk walk(const Shape& over, const std::vector<const Shape*>& tensors, const std::vector<bool>& takes);
ww_dnn::Walk walk(const Shape& over, const std::vector<const Shape*>& tensors);
/// Whether `part` has, in each dimension, the size of `whole` or 1.
bool spreads_over(const Shape& part, const Shape& whole);

/// A tensor of up to three dimensions besides images and channels, as one of three.
ww_dnn::Image image(const Shape& shape, const void* at);

/// The files of kernels, in kernels/dnn.
enum class Code {
    elements,
    lines,
    pooling,
    convolution_f32,
    convolution_f64,
    convolution_f16,
    convolution_bf16,
    convolution_mixed,
    graph_pointwise,
    graph_matmul,
    graph_lines
};
/// Queues the kernel of this name; `argument` is its only one.
Status launch(Handle h, Code code, const std::string& kernel, dim3 grid, void* argument);
/// The same for `count` elements, one for each thread, or for lines of so many elements.
Status launch_elements(Handle h, Code code, const std::string& kernel, std::int64_t count, void* argument);
Status launch_lines(Handle h, const std::string& kernel, cudnnDataType_t type, const ww_dnn::Lines& lines,
                    void* argument);

}  // namespace warpwright::libraries::dnn
