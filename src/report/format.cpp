// Rounding never gives a fourth digit, such as 1000 with a prefix where the next prefix would fit. Control and
// reordering characters are removed here, before any text from outside is shown.
#include "report/format.hpp"

#include <cmath>

#include <fmt/format.h>

#include "report/unicode.hpp"

namespace warpwright::report {

namespace {

/// Three significant digits of a value in [1, 1000).
std::string three_digits(double value) {
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    if (value >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

bool reorders(char32_t p) { return in(p, 0x202A, 0x202E) || in(p, 0x2066, 0x2069) || p == 0x200E || p == 0x200F; }

}  // namespace

std::string si(double value) {
    if (std::isnan(value)) return "-";
    if (value < 0) return fmt::format("-{}", si(-value));
    if (std::isinf(value)) return "inf";
    static constexpr const char* prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    unsigned p = 0;
    while (value >= (p == 0 ? 1000 : 999.5) && p + 1 < std::size(prefixes)) value /= 1000, ++p;
    if (p == 0) return value == std::floor(value) ? fmt::format("{:.0f}", value) : plain(value);
    return three_digits(value) + prefixes[p];
}

std::string seconds(double value, bool unicode) {
    if (std::isnan(value)) return "-";
    if (value < 0) return fmt::format("-{}", seconds(-value, unicode));
    if (value == 0) return "0 s";
    const std::pair<double, const char*> units[] = {
        {1e-3, "ms"}, {1e-6, unicode ? "µs" : "us"}, {1e-9, "ns"}, {1e-12, "ps"}};
    if (value >= 0.9995) return (value < 1000 ? three_digits(value) : fmt::format("{:.0f}", value)) + " s";
    for (const auto& [scale, name] : units)
        if (value >= 0.9995 * scale || scale == 1e-12) return three_digits(value / scale) + ' ' + name;
    return {};
}

std::string bytes(double value) {
    if (std::isnan(value)) return "-";
    if (value < 1024) return fmt::format("{:.0f} B", value);
    static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned u = 0;
    for (value /= 1024; value >= 1023.5 && u + 1 < std::size(units); ++u) value /= 1024;
    return fmt::format("{} {}", value < 1000 ? three_digits(value) : fmt::format("{:.0f}", value), units[u]);
}

std::string percent(double fraction) {
    if (std::isnan(fraction)) return "-";
    const double p = fraction * 100;
    if (p > 0 && p < 0.05) return "<0.1 %";  // "0.0 %" would read as none at all
    return p >= 9.95 || p == 0 ? fmt::format("{:.0f} %", p) : fmt::format("{:.1f} %", p);
}

std::string plain(double value) {
    if (std::isnan(value)) return "-";
    if (value < 0) return fmt::format("-{}", plain(-value));
    if (std::isinf(value)) return "inf";
    if (value == 0) return "0";
    if (value >= 999.5)
        return value < 1e15 ? grouped(std::uint64_t(std::llround(value))) : fmt::format("{:.3g}", value);
    if (value >= 0.9995) return three_digits(value);
    if (value >= 0.01) return fmt::format("{:.3f}", value);
    if (value >= 1e-4) return fmt::format("{:.2g}", value);
    return fmt::format("{:.1e}", value);
}

std::string short_number(double value) {
    return std::fabs(value) >= 999.5 ? plain(value) : fmt::format("{:.3g}", value);
}

std::string safe(std::string_view text, bool one_line) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text.substr(i));
        const bool space = d.valid && (d.point == '\n' || d.point == '\r' || d.point == '\t');
        if (space && one_line) {
            out += ' ';
        } else if (!d.valid) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
        } else if (!space && (d.point < 0x20 || in(d.point, 0x7F, 0x9F))) {
            out += fmt::format("\\x{:02x}", std::uint32_t(d.point));
        } else if (reorders(d.point)) {
            out += fmt::format("\\u{:04x}", std::uint32_t(d.point));
        } else {
            out += text.substr(i, d.length);
        }
        i += d.length;
    }
    return out;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text.substr(i));
        width += point_width(d.point);
        i += d.length;
    }
    return width;
}

std::string clip(std::string_view text, std::size_t width, bool unicode) {
    if (display_width(text) <= width) return std::string(text);
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text.substr(i));
        if (used + point_width(d.point) + 1 > width) break;
        used += point_width(d.point);
        out += text.substr(i, d.length);
        i += d.length;
    }
    if (width > 0) out += unicode ? "…" : "~";
    return out;
}

}  // namespace warpwright::report
