// Only those texts are made here that several printers need: the value of a coordinate and a date for people.
#include "record/record.hpp"

#include <fmt/format.h>

namespace warpwright::record {

std::string Axis::text() const {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    return fmt::format("{:g}", std::get<double>(value));
}

std::string readable_date(const std::string& iso) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    if (iso.size() != kForm.size() || iso[10] != 'T' || iso.back() != 'Z') return iso;
    return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

}  // namespace warpwright::record
