#include "report/format.hpp"

#include <cmath>

#include <fmt/format.h>

namespace warpwright::report {

namespace {

/// Three significant digits of a value in [1, 1000).
std::string three_digits(double value) {
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    if (value >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

struct Decoded {
    char32_t point = 0;
    std::size_t length = 1;
    bool valid = false;
};

/// One UTF-8 sequence; overlong forms and surrogates are not valid.
Decoded decode(std::string_view s) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || s.size() < length) return {};
    char32_t point = first & (0x7F >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80) return {};
        point = point << 6 | (at(i) & 0x3F);
    }
    const bool shortest = length == 2 || (length == 3 && point >= 0x800) || (length == 4 && point >= 0x10000);
    if (!shortest || (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF) return {};
    return {point, length, true};
}

bool in(char32_t p, char32_t low, char32_t high) { return p >= low && p <= high; }

std::size_t point_width(char32_t p) {
    // Combining marks and zero-width characters.
    if (in(p, 0x300, 0x36F) || in(p, 0x200B, 0x200F) || in(p, 0x20D0, 0x20FF) || in(p, 0xFE00, 0xFE0F)) return 0;
    // East Asian Wide and Fullwidth (Unicode Standard Annex 11), and emoji.
    if (in(p, 0x1100, 0x115F) || in(p, 0x2E80, 0x303E) || in(p, 0x3041, 0xA4CF) || in(p, 0xAC00, 0xD7A3) ||
        in(p, 0xF900, 0xFAFF) || in(p, 0xFE30, 0xFE6F) || in(p, 0xFF00, 0xFF60) || in(p, 0xFFE0, 0xFFE6) ||
        in(p, 0x1F300, 0x1FAFF) || in(p, 0x20000, 0x3FFFD))
        return 2;
    return 1;
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

std::string grouped(std::uint64_t value) {
    std::string digits = fmt::format("{}", value);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
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

namespace {

/// Marks that do not begin a line.
bool closes(char32_t point) {
    for (const char32_t mark : {0x3001u, 0x3002u, 0xff0cu, 0xff1au, 0xff1bu, 0xff09u, 0xff01u, 0xff1fu, 0x300du,
                                0x300fu, 0x3011u, 0x201du, 0x2019u, 0x29u, 0x2cu, 0x2eu})
        if (point == mark) return true;
    return false;
}

/// Bytes of a word's first part that no line break may divide: the whole word, but for scripts without blanks, where a
/// line may break beside any wide character.
std::size_t unbroken(std::string_view word) {
    for (std::size_t i = 0; i < word.size();) {
        const Decoded d = decode(word.substr(i));
        i += d.length;
        if (i >= word.size()) break;
        const Decoded next = decode(word.substr(i));
        if ((point_width(d.point) == 2 || point_width(next.point) == 2) && !closes(next.point)) return i;
    }
    return word.size();
}

/// Whether `word` is the unit of a figure that stands before it: "%", "µs,".
bool is_unit(std::string_view word) {
    constexpr std::string_view kUnits[] = {"%", "s", "ms", "µs", "us", "ns", "B", "KiB", "MiB", "GiB", "MB", "GB"};
    while (!word.empty() && std::string_view(",.;:)").find(word.back()) != std::string_view::npos)
        word.remove_suffix(1);
    return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

/// Where the word that begins at `from` ends; a figure and its unit are one.
std::size_t end_of_word(std::string_view text, std::size_t from) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    if (end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') return end;
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    return is_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    bool blank = false;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ') {
            ++i;
            blank = true;
            continue;
        }
        const std::size_t end = end_of_word(text, i);
        const std::string_view word = text.substr(i, unbroken(text.substr(i, end - i)));
        const std::size_t between = blank && !line.empty() ? 1 : 0;
        if (!line.empty() && display_width(line) + between + display_width(word) > width) {
            lines.push_back(std::move(line));
            line.clear();
        } else if (between) {
            line += ' ';
        }
        line += word;
        blank = false;
        i += word.size();
    }
    if (!line.empty()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace warpwright::report
