// Work of cuDNN as the host describes it and the kernels do it: tensors of any strides, walked by their sizes.
#pragma once

namespace ww_dnn {

using i64 = long long;

constexpr int kThreads = 256, kMostDims = 8, kMostTensors = 4;
/// Types of elements, by cudnnDataType_t's numbers.
enum Type : int { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9 };

/// A walk over `count` positions of the same place in up to four tensors; in a tensor that has one element for several of
/// them, its stride there is 0.
struct Walk {
    int dims;
    unsigned count;
    unsigned size[kMostDims];
    i64 apart[kMostTensors][kMostDims];
};
struct Tensors {
    void* at[kMostTensors];
    int type[kMostTensors];
};

/// What one element becomes. The numbers of activations are cudnnActivationMode_t's, those of two-operand functions
/// cudnnOpTensorOp_t's.
enum class Function : int { copy, fill, activation, activation_gradient, two_operands, dropout, dropout_gradient };
/// out = alpha * f(...) + beta * out. Tensors: out, then f's.
struct Map {
    Walk walk;
    Tensors tensors;
    Function function;
    int kind;  ///< which activation or function of two
    int keep_nan;
    double alpha, alpha_second, beta, coefficient;
    unsigned long long seed;
};

/// Each line's elements, and the lines themselves.
struct Lines {
    Walk lines, elements;
    Tensors tensors;
};

/// out = alpha * softmax + beta * out, over each line. Tensors: out, x; or, for the gradient: dx, y, dy.
struct Softmax {
    Lines lines;
    int log, shifted;  ///< `shifted`: by the largest, so that nothing overflows
    double alpha, beta;
};

/// cudnnReduceTensorOp_t's numbers. Tensors: out (by lines), in.
struct Reduce {
    Lines lines;
    int kind;
    double alpha, beta;
};

/// Normalisation over each line, which is a channel or an activation. Tensors: y, x for the forward; dx, x, dy for the gradient.
/// The pointers have an element of the arithmetic's type for each line, and may be null where they are not wanted.
struct Norm {
    Lines lines;
    const void *scale, *bias;
    void *running_mean, *running_variance;
    void *mean, *inverse;  ///< saved for the gradient
    void *scale_gradient, *bias_gradient;
    double factor, epsilon, alpha, beta, alpha_parameters, beta_parameters;
};

/// A batch of images: sizes and strides of image, channel, depth, row, column. A filter likewise: output, input channel, ...
struct Image {
    void* at;
    int type;
    int size[5];
    i64 apart[5];
};
struct Convolution {
    Image x, w, y;
    int pad[3], stride[3], dilation[3];
    int groups, flipped;  ///< `flipped`: a convolution as mathematics has it, not a correlation
    int w_linear;         ///< the elements of a filter's output channel lie side by side
    double alpha, beta;
    // Of the forward alone: y = activation(alpha * conv + beta * z + bias), where z may be y.
    Image z;
    const void* bias;
    int bias_type, activation;  ///< cudnnActivationMode_t's number; -1: none
};

/// cudnnPoolingMode_t's numbers. x and y are read, and of the gradient dy; `out` is written.
struct Pooling {
    Image x, y, dy, out;
    int mode, keep_nan;
    int window[3], pad[3], stride[3];
    double alpha, beta;
};

}  // namespace ww_dnn
