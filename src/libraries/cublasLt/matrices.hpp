// Layouts, factors and types as the kernels take them (kernels/lt/product.cuh).
#pragma once

#include <string>

#include "cudart/api/api.hpp"
#include "libraries/cublasLt/descriptors.hpp"
#include "lt/product.cuh"

namespace warpwright::libraries::lt {

/// op(matrix), whose elements are at `at`.
struct Operand {
    std::uint64_t rows, columns;
    ww_lt::Matrix matrix;
};
/// Nothing where the layout is none, or of an order or batch that the kernels do not have.
std::optional<Operand> operand(const Layout& layout, const void* at, int op);

bool is_complex(int type);
/// Whether the kernels know matrices of these numbers.
bool is_known(int type);
/// The same of what they read one at a time: a bias, a factor, what an activation was given.
bool is_plain(int type);

/// A factor of the scale type: in host memory, in device memory, or there one for each row.
ww_lt::Factor factor(const void* at, int type, bool on_device, bool per_row, std::int64_t apart);
/// Zero, which makes a kernel read nothing.
ww_lt::Factor no_factor();

cublasStatus_t launch(const std::string& kernel, dim3 grid, void* argument, cudaStream_t stream);

/// Says once what is not supported.
cublasStatus_t not_supported(const std::string& what);

}  // namespace warpwright::libraries::lt
