// These rules are separate from those of tables, because a sentence has no column whose figures share a prefix.
#include "lab/page/sentence_figures.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "text/counted.hpp"

namespace warpwright::lab {
namespace {

/// "1.51·10⁻⁵", as tables have it.
std::string small(double value) {
    static constexpr std::array<const char*, 10> kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::string text = fmt::format("{:.2e}", value);
    const std::size_t e = text.find("e-");
    std::string out = text.substr(0, e) + "·10⁻";
    for (const char c : std::to_string(std::stoi(text.substr(e + 2))))
        out += kRaised[static_cast<std::size_t>(c - '0')];
    return out;
}

/// Three significant digits.
std::string digits(double value) {
    const double size = std::fabs(value);
    if (!std::isfinite(value)) return fmt::format("{}", value);
    if (size >= 1000) return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::llround(size)));
    if (size >= 100) return fmt::format("{:.0f}", value);
    if (size >= 10) return fmt::format("{:.1f}", value);
    if (size >= 0.9995 || value == 0) return value == 0 ? "0" : fmt::format("{:.2f}", value);
    return size < 1e-4 ? small(value) : fmt::format("{:.3g}", value);
}

}  // namespace

Figure count_text(std::uint64_t count) { return {grouped(count)}; }

Figure seconds_text(double seconds) {
    static constexpr std::array<const char*, 5> kUnits{"s", "ms", "µs", "ns", "ps"};
    std::size_t unit = 0;
    for (double size = std::fabs(seconds); unit + 1 < kUnits.size() && size > 0 && size < 0.9995; ++unit) {
        size *= 1000;
        seconds *= 1000;
    }
    return {digits(seconds) + " " + kUnits[unit]};
}

Figure bytes_text(double bytes) {
    static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; unit + 1 < kUnits.size() && std::fabs(bytes) >= 1024; ++unit) bytes /= 1024;
    const bool whole = bytes == std::floor(bytes) && std::fabs(bytes) < 1024;
    return {(whole ? fmt::format("{:.0f}", bytes) : digits(bytes)) + " " + kUnits[unit]};
}

Figure rate_text(double rate, std::string_view unit) {
    static constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
    std::size_t prefix = 0;
    for (; prefix + 1 < kPrefixes.size() && std::fabs(rate) >= 999.5; ++prefix) rate /= 1000;
    return {fmt::format("{} {}{}", digits(rate), kPrefixes[prefix], unit)};
}

Figure number_text(double number) {
    if (number == std::floor(number) && std::fabs(number) < 1000) return {fmt::format("{:.0f}", number)};
    return {digits(number)};
}

Figure times_text(double factor) { return {digits(factor)}; }

}  // namespace warpwright::lab
