// Sentences that a command prints, in the width of the terminal.
#pragma once

#include <string>
#include <string_view>

#include "report/format.hpp"

namespace warpwright::cli {

/// The width of prose where nobody asks for one, as in a pipe.
constexpr std::size_t kProseWidth = 116;

/// The text broken at blanks, each line but the first behind `hang` blanks, and a line's end; whole where the width is
/// not known (0).
inline std::string paragraph(std::string_view text, std::size_t width, std::size_t hang = 0) {
    if (width == 0) return std::string(text) + "\n";
    std::string out;
    for (const std::string& line : report::wrap(text, width > hang + 20 ? width - hang : 20))
        out += (out.empty() ? "" : std::string(hang, ' ')) + line + "\n";
    return out;
}

}  // namespace warpwright::cli
