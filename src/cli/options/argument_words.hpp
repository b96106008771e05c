// The small grammars of the command line: extents, arguments, outputs; sizes and axes are the laboratory's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lab/sweep/choices.hpp"
#include "support/result.hpp"
#include "values/contents.hpp"
#include "values/element.hpp"

namespace warpwright::cli {

using lab::parse_axes;
using lab::parse_size;
using lab::split_list;

/// "64", "16x16", "8x8x4": up to three whole numbers from 1 on. `what` is "grid" or "block".
Result<launch::Extent> parse_extent(const std::string& text, const std::string& what);

/// One --arg: a buffer `TYPE[COUNT]=contents`, a number `1024`, a number with its type `f32:1.5`, or `ptr:null`.
struct LaunchArgument {
    enum class Kind { buffer, number, null, local } kind = Kind::number;
    std::string text;
    values::Element element = values::Element::f32;  ///< buffer
    std::uint64_t count = 0;                         ///< buffer
    values::Contents contents;                       ///< buffer
    bool unwritten = false;                          ///< buffer: "=none", the host writes nothing to it
    std::optional<values::Element> number_element;   ///< number
    long double number = 0;
    std::uint64_t bytes = 0;  ///< local: of the dynamic shared memory, for a __local pointer of OpenCL
};
Result<LaunchArgument> parse_argument(const std::string& text);

/// "1:out.npy" -> argument 1 (counted from 0) and the file.
Result<std::pair<std::size_t, std::string>> parse_output(const std::string& text);

}  // namespace warpwright::cli
