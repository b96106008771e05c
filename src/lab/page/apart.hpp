// Whether two kernels' times tell which of them is faster.
#pragma once

#include <optional>
#include <string>

#include "record/record.hpp"

namespace warpwright::lab {

/// How far the times of two kernels are apart, and what that says.
struct Apart {
    double factor = 1;  ///< the longer time over the shorter one
    bool told = true;   ///< it says which one is faster
    /// Of predicted times: of so many pairs that far apart a GPU had so many in the model's order (arch/ordering.hpp).
    unsigned pairs = 0, right = 0;
    std::string device = {};  ///< that GPU
};

/// Of two simulated times, or two measured ones; absent for any other two. Measured times tell whatever they differ by
/// (they were taken until they were steady). Predicted times tell where as many of the pairs that far apart as
/// arch::Ordering::kSure were in a GPU's order. For a device that the model of time was not compared with, they must be
/// twice as far apart, by the logarithm.
std::optional<Apart> apart(const record::Record& a, const record::Record& b);
/// Of two simulated times. `memory`: both kernels are bound by DRAM or L2; `compared`: the model of time was compared
/// with devices of this kind.
Apart predicted_apart(double a, double b, bool memory, bool compared);
/// True where the times do not tell; also where they are bounds, or of two kinds.
bool cannot_tell(const record::Record& a, const record::Record& b);

}  // namespace warpwright::lab
