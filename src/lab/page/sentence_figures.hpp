// Figures as the sentences of a page show them: three significant digits, a prefix, a unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/message.hpp"

namespace warpwright::lab {

Figure seconds_text(double seconds);                   ///< "1.04 µs"
Figure bytes_text(double bytes);                       ///< "72 KiB"
Figure rate_text(double rate, std::string_view unit);  ///< 1.52e11, "FLOP/s" -> "152 GFLOP/s"
Figure count_text(std::uint64_t count);                ///< "1,234,567"
Figure number_text(double number);                     ///< "0.125", "31.4", "1,024"
/// How many times: "2.31", "48.3", "1,250".
Figure times_text(double factor);

}  // namespace warpwright::lab
