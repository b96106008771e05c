// Whether two results of an instruction form agree: bit for bit, or within the error that the ISA allows
// (Form::tolerance).
#pragma once

#include <cstdint>

#include "forms.hpp"

namespace oracle {

/// `letter` is the result's letter in Form::results; `ours` and `theirs` are its bits.
bool agrees(const Form& form, char letter, std::uint64_t ours, std::uint64_t theirs);

}  // namespace oracle
