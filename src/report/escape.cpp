// Each printer escapes through these functions, after control characters and signs that reorder text have been removed.
// Fields of CSV that a spreadsheet would compute as formulas get a quote in front.
#include "report/escape.hpp"

#include <cstdlib>

#include "report/format.hpp"

namespace warpwright::report {

std::string escape(std::string_view text, bool one_line) {
    std::string out;
    for (const char c : safe(text, one_line)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string glued(std::string_view text) {
    constexpr std::string_view kNoBreak = "\u00a0";
    constexpr std::size_t kShortWord = 3;
    // Words end at a blank or a sign. Cyrillic letters are two bytes; of other scripts no word is short.
    const auto is_unit = [](std::string_view rest) {
        std::size_t letters = 0, i = 0;
        for (; i < rest.size(); ++letters) {
            const auto c = static_cast<unsigned char>(rest[i]);
            if (c == '%') return letters == 0;
            if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
                ++i;
            else if (c == '/' && letters > 0)
                return true;  // a rate
            else if (c == 0xc2 || c == 0xd0 || c == 0xd1)
                i += 2;
            else
                return letters > 0 && letters <= kShortWord && c < 0x80;
        }
        return letters > 0 && letters <= kShortWord;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool behind_figure = i > 0 && text[i] == ' ' && text[i - 1] >= '0' && text[i - 1] <= '9';
        if (behind_figure && is_unit(text.substr(i + 1)))
            out += kNoBreak;
        else
            out += text[i];
    }
    return out;
}

namespace {

bool is_number(const std::string& text) {
    char* end = nullptr;
    (void)std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && end != text.c_str();
}

}  // namespace

std::string csv_field(std::string_view text) {
    std::string out = safe(text, false);
    // A spreadsheet would compute it.
    if (out.size() > 1 && std::string_view("=+-@\t\r").find(out[0]) != std::string_view::npos && !is_number(out))
        out.insert(0, 1, '\'');
    if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
    for (std::size_t i = 0; (i = out.find('"', i)) != std::string::npos; i += 2) out.insert(i, 1, '"');
    return '"' + out + '"';
}

}  // namespace warpwright::report
