// How far a prediction may be from the measured time, by what binds the launch. The table of
// src/predict/error_classes.inc was made from recorded measurements (bench/prediction/intervals.py).
#pragma once

#include <string_view>

#include "machine/code.hpp"
#include "record/predicted.hpp"

namespace warpwright::predict {

/// Launches that are wrong alike, and between which ratios of the predicted time nine of ten of their measured times
/// lay.
struct ErrorClass {
    std::string_view name;
    unsigned groups;   ///< of launches, from which it is known
    double low, high;  ///< measured over predicted
};

/// Whether the kernel looks at what other blocks do: by loads that the first level must not answer, by fences beyond
/// the block, or by the old values of atomics.
bool looks_at_others(const machine::Code& code);

/// The launch's class. `part`: of the blocks that a multiprocessor gets, only some were simulated; `others`: the kernel
/// looks at what other blocks do.
const ErrorClass& error_class_of(const record::Predicted& predicted, bool part, bool others = false);

/// Sets the interval and the class of a time that was simulated.
void set_interval(record::Predicted& predicted, bool part, bool others);

}  // namespace warpwright::predict
