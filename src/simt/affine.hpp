// Arithmetic on affine forms (shape.hpp).
#pragma once

#include <functional>
#include <optional>

#include "simt/shape.hpp"

namespace warpwright::simt {

bool is_zero(const Affine& a);
/// a + sign * b
Affine sum(const Affine& a, const Affine& b, std::int64_t sign);
Affine scaled(const Affine& a, std::int64_t by);
/// Every offset times a uniform factor; nothing if the form would hold products of more than two factors.
std::optional<Affine> times(const Affine& a, Factor factor);
/// The form of `operand`, a 32-bit value of form `a`, extended to 64 bits: assumes that no lane wraps.
std::optional<Affine> widened(const Operand& operand, const Affine& a, bool is_signed);
/// The form mod 2^32: assumptions about widenings no longer matter.
Affine narrowed(const Affine& a);
/// The length, a power of two, of the aligned stretch of numbers in which all lanes lie, where the base is a multiple
/// of `align`; 0: there is none.
std::uint64_t stretch(const Affine& a, std::uint64_t align, unsigned lanes);
/// Whether a comparison with numbers in such a stretch has one result, as `thread < 64` has: the other side, a multiple
/// of `align` or a constant, does not lie within a stretch. `swapped`: it is the first operand.
bool compares_alike(const Details& comparison, bool swapped, std::uint64_t stretch, const Operand& other,
                    std::uint64_t align);
/// Whether a whole number comes of the low bits of whole numbers, which keeps alignments.
bool is_of_low_bits(const Details& operation);
/// Whether numbers up to `most` stay above zero where an operation has signed types below 32 bits, whose results are
/// extended to the register.
bool keeps_sign(const Details& operation, std::uint64_t most);
/// Applies `f` to every constant offset; nothing if `f` returns nothing for one.
std::optional<Affine> mapped(const Affine& a, const std::function<std::optional<std::int64_t>(std::int64_t)>& f);

}  // namespace warpwright::simt
