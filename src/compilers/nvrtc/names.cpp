// A marker kernel for each expression is appended to the source, and its PTX is taken out again after compiling. The
// symbol is read from the instruction that moves the address, which spares a second implementation of name mangling.
#include "compilers/nvrtc/names.hpp"

#include <charconv>

namespace warpwright::compilers {
namespace {

constexpr const char* kMarker = "ww_lowered_name_";
constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";

/// The number of the marker that begins in this line of PTX: ".visible .entry ww_lowered_name_7(".
bool begins_marker(const std::string& line, std::size_t& number) {
    const auto at = line.find(kMarker);
    if (at == std::string::npos || line.find(".entry") > at) return false;
    const auto* const digits = line.data() + at + std::string(kMarker).size();
    return std::from_chars(digits, line.data() + line.size(), number).ec == std::errc{};
}

/// The symbol whose address a line of a marker takes: "mov.u64 %rd3, _Z1fIiEvPT_;"; empty: none.
std::string symbol_in(const std::string& line) {
    const auto comma = line.find("mov.") == std::string::npos ? std::string::npos : line.find(", ");
    if (comma == std::string::npos) return "";
    const auto from = comma + 2, to = line.find_first_not_of(kLetters, from);
    const bool name = from < line.size() && !(line[from] >= '0' && line[from] <= '9') && line[from] != '%';
    return name && to != std::string::npos && line[to] == ';' ? line.substr(from, to - from) : "";
}

}  // namespace

std::string marked(const std::vector<std::string>& expressions) {
    if (expressions.empty()) return "";
    // A kernel's name may stand in device code where a constant is expected, as a template's argument is.
    std::string out =
        "\n#line 1 \"name expression\"\n"
        "template <auto P> struct ww_lowered { static constexpr auto value = P; };\n";
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        const auto& all = expressions[k];
        const auto first = all.find_first_not_of(" \t\n&");
        out += "extern \"C\" __global__ void " + std::string(kMarker) + std::to_string(k) +
               "(const void** to) { *to = (const void*)ww_lowered<&" +
               (first == std::string::npos ? "" : all.substr(first)) + ">::value; }\n";
    }
    return out;
}

std::map<std::string, std::string> lowered_names(std::string& ptx, const std::vector<std::string>& expressions) {
    std::map<std::string, std::string> out;
    if (expressions.empty()) return out;
    std::string rest;
    rest.reserve(ptx.size());
    bool inside = false;  // a marker, to the end of its body
    std::size_t number = 0;
    for (std::size_t at = 0; at < ptx.size();) {
        auto end = ptx.find('\n', at);
        end = end == std::string::npos ? ptx.size() : end + 1;
        const std::string line = ptx.substr(at, end - at);
        at = end;
        if (!inside && begins_marker(line, number) && number < expressions.size()) {
            inside = true;
        } else if (!inside) {
            rest += line;
        } else {
            if (auto symbol = symbol_in(line); !symbol.empty()) out[expressions[number]] = std::move(symbol);
            inside = !line.starts_with("}");
        }
    }
    ptx = std::move(rest);
    return out;
}

}  // namespace warpwright::compilers
