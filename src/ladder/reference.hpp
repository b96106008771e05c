// The right answer of a problem, from the CPU in higher precision than any kernel works in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ladder/ladder.hpp"

namespace warpwright::ladder {

/// Inputs on the host, by buffer name.
struct HostBuffer {
    Element element = Element::f32;
    std::vector<std::byte> bytes;
    std::uint64_t count() const { return bytes.size() / element_size(element); }
    long double operator[](std::uint64_t i) const {
        return load_element(element, bytes.data() + i * element_size(element));
    }
};
using HostBuffers = std::map<std::string, HostBuffer, std::less<>>;

/// What the output buffer should hold. Element i should be value(i); `magnitude` is the scale that rounding errors of
/// its computation grow with.
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

private:
    std::vector<double> high_, low_;  ///< value = high + low; low only where double is not enough
    std::vector<double> magnitude_;
};

/// How the matrices of a product lie: row-major, A as M x K or (transposed) K x M, B as K x N or N x K.
struct Layout {
    bool a_transposed = false, b_transposed = false;
    static Layout of(const std::string& text) { return {text.starts_with("T"), text.ends_with("T")}; }
};

/// C = A B, M x K times K x N. Accumulates f32 and narrower in double and f64 in long double; integers wrap to the
/// output's width.
Expected reference_matmul(const HostBuffer& a, const HostBuffer& b, Element out, std::int64_t m, std::int64_t n,
                          std::int64_t k, Layout layout = {});

/// One element: the sum, least or largest of the first n elements. Integers are summed in 128 bits and wrap to the
/// output's width, floating types are summed in long double. The least of none is what leaves every value as it is:
/// infinity, or the largest integer of the output's type.
Expected reference_reduce(const HostBuffer& in, Element out, std::int64_t n, const std::string& op = "sum");

/// Element j*M + i is the input's i*N + j.
Expected reference_transpose(const HostBuffer& in, std::int64_t m, std::int64_t n);

/// Each element from an expression of i and of the inputs' elements i, in double.
Result<Expected> reference_elementwise(const Expression& expression, const HostBuffers& inputs,
                                       const Variables& variables, Element out, std::uint64_t count);

/// The output of a run that is taken as the reference (magnitude: its absolute value).
Expected reference_values(const HostBuffer& values);

/// The reference of a ladder that has a built-in or elementwise one. `inputs` holds the buffers it names; `variant`
/// says what axes it names stand for.
Result<Expected> make_reference(const Reference& reference, const HostBuffers& inputs, const Variables& variables,
                                const Variant& variant, Element out, std::uint64_t out_count);

}  // namespace warpwright::ladder
