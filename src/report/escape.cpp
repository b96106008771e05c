#include "report/escape.hpp"

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

std::string csv_field(std::string_view text) {
    std::string out = safe(text, false);
    if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
    for (std::size_t i = 0; (i = out.find('"', i)) != std::string::npos; i += 2) out.insert(i, 1, '"');
    return '"' + out + '"';
}

}  // namespace warpwright::report
