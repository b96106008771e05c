// The format of a device model file: each figure once, with its table, key, unit and whether it is required. The reader
// and the listing both use this table.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "arch/model.hpp"

namespace warpwright::arch {

/// Where a figure is kept in a DeviceModel.
using Slot = std::variant<std::uint32_t*, std::uint64_t*, double*, std::string*, std::optional<double>*>;

struct FigureSpec {
    std::string_view table, key;
    Slot (*slot)(DeviceModel&);
    double scale;  ///< the number in the file times this is the number in the model
    bool required;
    /// What the number in the file may be, beyond what its kind says.
    double least = 0, most = std::numeric_limits<double>::infinity();
    bool takes(double in_file) const { return in_file >= least && in_file <= most; }
};

std::span<const FigureSpec> figure_specs();

/// The figure with this table and key; null if there is none.
const FigureSpec* figure_spec(std::string_view table, std::string_view key);

/// What people are told of a figure of the table [timing] (arch/timing_figures.inc).
struct TimingFigure {
    std::string_view key;
    std::string_view otherwise;  ///< its default, in words
    std::string_view unit;       ///< empty: a ratio
    std::string_view probe;      ///< the group of `device --measure --deep` that measures it; empty: none does
    std::string_view meaning;
    std::string_view method;  ///< of one that is measured, what is measured; else why not
};

/// All of them, in the order of the file format.
std::span<const TimingFigure> timing_figures();

/// Makes a hash of all that a prediction may read of a model: every figure to its last bit, which of them its file
/// gives, and its names.
std::string fingerprint(const DeviceModel& model);

/// The rule with this name in a file ("sectors"); absent if there is none.
std::optional<Coalescing> coalescing_of(std::string_view text);

}  // namespace warpwright::arch
