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
/// Applies `f` to every constant offset; nothing if `f` returns nothing for one.
std::optional<Affine> mapped(const Affine& a, const std::function<std::optional<std::int64_t>(std::int64_t)>& f);

}  // namespace warpwright::simt
