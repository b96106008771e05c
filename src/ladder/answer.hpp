// The correct output of a problem, in a form that can be checked: a value for every element, the input's own bits in
// another place, or, if a product is too large for that, properties of it that are cheap to check.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ladder/verify.hpp"

namespace warpwright::ladder {

class Answer {
public:
    virtual ~Answer() = default;
    virtual Verification check(values::Element element, std::span<const std::byte> actual,
                               const Allowed& allowed) const = 0;
    /// The byte that fills the output before a run, such that an unwritten element is found.
    virtual std::uint8_t poison(values::Element element) const = 0;
};

/// A reference for every element.
std::unique_ptr<Answer> answer_of(Expected expected);

/// Element j*M + i of the output is the input's i*N + j, bit by bit; a copy is M = 1.
std::unique_ptr<Answer> answer_moved(Input input, std::uint64_t m, std::uint64_t n);

/// A product whose elements are too many, or too costly, to compute all:
/// - whole rows and columns, the first and last ones and others by the seed, are compared with the reference;
/// - every element must be finite;
/// - in every row, sums of some neighbouring elements with random signs s, (C S)_iG, must be A (B S) in double. An
///   element may be off by the allowed a |A||B|_ij, so the sum by more than t = 6 a |A_i| |B_G| (norms, which by Cauchy
///   and Schwarz are at least those of |A||B| over the group) only with probability 2 exp(-18) (Hoeffding; the kernel
///   does not know the signs). The double's own error is added to a.
/// Integers: the sums must be equal, modulo the output's width.
struct ProductSize {
    std::int64_t m = 0, n = 0, k = 0;
    Layout layout;
};
/// Elements of a row in one sum, such that the sums cost no more than a product of 4096^3.
std::int64_t sample_group(const ProductSize& size);
std::unique_ptr<Answer> answer_sampled(const Input& a, const Input& b, values::Element out, const ProductSize& size,
                                       std::uint64_t seed);
/// The product's complete answer, or a sampled one if that would take too much time or memory.
std::unique_ptr<Answer> answer_product(const Input& a, const Input& b, values::Element out, const ProductSize& size,
                                       std::uint64_t seed);

/// The answer of a ladder that has a built-in or elementwise reference. `inputs` holds the buffers it names; `variant`
/// gives the values of the axes it names.
Result<std::unique_ptr<Answer>> make_answer(const Reference& reference, const std::map<std::string, Input>& inputs,
                                            const Variables& variables, const Variant& variant, values::Element out,
                                            std::uint64_t out_count, std::uint64_t seed);

}  // namespace warpwright::ladder
