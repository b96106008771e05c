// Operations of cuDNN's graphs as the host describes them and the kernels do them: tensors of any type and strides, walked together.
#pragma once

#include "tensor.cuh"

namespace ww_dnn {

/// A dimension of one operand may be a part of another's (heads that share keys), which makes two of one.
constexpr int kMostPlaces = 12;
/// Further types of elements, by cudnnDataType_t's numbers; a truth value is a byte.
enum FurtherType : int { kInt8 = 3, kInt32 = 4, kUint8 = 6, kInt64 = 10, kTruth = 11, kE4m3 = 12, kE5m2 = 13, kUint32 = 19, kByteTruth = 22 };

/// The numbers that positions are taken apart into.
struct Places {
    int dims;
    unsigned count;
    unsigned size[kMostPlaces];
};
/// A tensor, or one number for all places where `at` is null.
struct Operand {
    void* at;
    int type;
    double value;
    i64 apart[kMostPlaces];
};

/// out = f(x, b, t) for each place; the numbers of modes are cudnnPointwiseMode_t's.
struct Pointwise {
    Places places;
    Operand out, x, b, t;
    int mode, axis;  ///< `axis`: of the places, whose number an index is
    double alpha_x, alpha_b;
    double lower, upper, slope, elu, softplus, swish;
};

/// c = alpha * a b for each place of a batch.
struct Matmul {
    Places batch;
    Operand a, b, c;
    i64 a_row, a_depth, b_depth, b_column, c_row, c_column;
    int rows, columns, depth;
    Operand rows_there, columns_there, depth_there;  ///< of each place of the batch, where there are fewer
    double alpha, otherwise;                         ///< `otherwise`: what stands where there is nothing
};

/// One value for each line of elements.
struct GroupReduce {
    Places lines, elements;
    Operand out, x;
    int kind;  ///< cudnnReduceTensorOp_t's number
};

/// y = (x - mean) * inverse * scale + bias over each line, whose own mean and deviation these are, or those that are given.
struct GraphNorm {
    Places lines, elements;
    Operand x, y, scale, bias, mean, inverse;
    Operand old_mean, old_variance, new_mean, new_variance;
    int centred, given, keeps, moves, biased;  ///< by the mean; both are given; mean and inverse are written; running ones too; a bias
    double epsilon, factor;
};
/// The gradients; `x`'s by the lines of the mean, the scale's and the bias's by theirs.
struct GraphNormGradient {
    Places lines, elements;
    Operand x, dy, dx, scale, mean, inverse, dscale, dbias;
    int centred, given, biased;
    double epsilon;
};

/// y = exp(x - largest) / sum over each line; what is not wanted has no address.
struct GraphSoftmax {
    Places lines, elements;
    Operand x, y, sink, stats, most, sum;
    int sinks, by_two;
};

/// y = x where row and column are in the band, else b. Rows and columns are the last two places.
struct BandMask {
    Places places;
    Operand x, y, b, rows, columns, left, right;
    int mode, has_left, has_right, has_rows, has_columns;
};

/// Numbers of a seed, an offset and their place.
struct RandomFill {
    Places places;
    Operand out, seed, offset;
    int kind;  ///< cudnnRngDistribution_t's number
    double first, second;
};

}  // namespace ww_dnn
