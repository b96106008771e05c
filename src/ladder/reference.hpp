// The correct answer of a problem, computed on the CPU in higher precision than any kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ladder/input.hpp"
#include "ladder/ladder.hpp"

namespace warpwright::ladder {

/// The expected contents of the output buffer. Element i should be value(i); `magnitude` is the scale with which
/// rounding errors of its computation grow.
class Expected {
public:
    explicit Expected(std::uint64_t count, bool wide);

    std::uint64_t count() const { return high_.size(); }
    /// The reference: exact for integers, else correct to well below a rounding of the output's type.
    long double value(std::uint64_t i) const {
        return low_.empty() ? high_[i] : static_cast<long double>(high_[i]) + low_[i];
    }
    double magnitude(std::uint64_t i) const { return magnitude_[i]; }
    void set(std::uint64_t i, long double value, double magnitude);

    bool wide() const { return !low_.empty(); }  ///< values need more than a double
    double* values() { return high_.data(); }    ///< of one that is not wide, row by row
    double* magnitudes() { return magnitude_.data(); }
    const double* values() const { return high_.data(); }
    const double* magnitudes() const { return magnitude_.data(); }

private:
    std::vector<double> high_, low_;  ///< value = high + low; low only where double is not enough
    std::vector<double> magnitude_;
};

/// True for types whose references a double cannot hold.
bool needs_more_than_double(values::Element out);

/// The storage of a product's matrices: row-major, A as M x K or (transposed) K x M, B as K x N or N x K.
struct Layout {
    bool a_transposed = false, b_transposed = false;
    static Layout of(const std::string& text) { return {text.starts_with("T"), text.ends_with("T")}; }
};

/// C = A B, M x K times K x N. Accumulates f32 and narrower in double and f64 in long double; integers wrap to the
/// output's width.
Expected reference_matmul(const Input& a, const Input& b, values::Element out, std::int64_t m, std::int64_t n,
                          std::int64_t k, Layout layout = {});

/// True where sums of this many products of such integers are exact in double.
bool exact_in_double(values::Element a, values::Element b, std::int64_t terms);

/// One element: the sum, least or largest of the first n elements, read in pieces on all cores. Integer sums wrap to
/// the output's width; f32 and narrower are summed in double, f64 in long double. The least of no elements is the
/// neutral value: infinity, or the largest integer of the output's type.
Expected reference_reduce(const Input& in, values::Element out, std::uint64_t n, const std::string& op = "sum");

/// Each element from an expression of i and of the inputs' elements i, in double.
Result<Expected> reference_elementwise(const Expression& expression, const HostBuffers& inputs,
                                       const Variables& variables, values::Element out, std::uint64_t count);

/// The output of a run that serves as the reference (magnitude: its absolute value).
Expected reference_values(const HostBuffer& values);

}  // namespace warpwright::ladder
