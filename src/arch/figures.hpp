// The format of a device model file: each figure once, with its table, key, unit and whether it must be there.
// The reader and the listing both walk this table.
#pragma once

#include <span>
#include <variant>

#include "arch/model.hpp"

namespace warpwright::arch {

/// Where a figure is kept in a DeviceModel.
using Slot = std::variant<std::uint32_t*, std::uint64_t*, double*, std::string*>;

struct FigureSpec {
    std::string_view table, key;
    Slot (*slot)(DeviceModel&);
    double scale;  ///< a number in the file times this is the number in the model
    bool required;
};

std::span<const FigureSpec> figure_specs();

/// The rule of a name in a file ("sectors"); absent where there is none such.
std::optional<Coalescing> coalescing_of(std::string_view text);

}  // namespace warpwright::arch
