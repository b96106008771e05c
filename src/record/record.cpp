#include "record/record.hpp"

#include <fmt/format.h>

namespace warpwright::record {

std::string Axis::text() const {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    return fmt::format("{:g}", std::get<double>(value));
}

}  // namespace warpwright::record
