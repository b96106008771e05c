#include "compilers/nvrtc/names.hpp"

#include <charconv>

namespace warpwright::compilers {
namespace {

constexpr const char* kMarker = "ww_lowered_name";
constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
constexpr const char* kMangled = "_Z15ww_lowered_nameILi";

/// "_Z1f" names a C function or a variable of the global namespace, whose symbol is "f".
std::string symbol_of(const std::string& mangled) {
    if (!mangled.starts_with("_Z") || mangled.size() < 4) return mangled;
    std::size_t length = 0;
    const auto* const begin = mangled.data() + 2;
    const auto* const end = mangled.data() + mangled.size();
    const auto [rest, error] = std::from_chars(begin, end, length);
    if (error != std::errc{} || static_cast<std::size_t>(end - rest) != length) return mangled;
    return {rest, end};
}

/// The symbol inside a marker's: _Z15ww_lowered_nameILi0ETnPDaXadL_Z1fIiEvPT_EEEvv has _Z1fIiEvPT_ in it.
std::string inner(const std::string& marker, std::size_t from) {
    const auto l = marker.find("L_Z", from);
    if (l == std::string::npos) return "";
    const bool address = marker.find("Xad", from) < l;
    const std::size_t ends = address ? 5 : 4;  // of the constant, of its address, of the arguments; then "vv"
    if (marker.size() < l + 1 + ends) return "";
    return symbol_of(marker.substr(l + 1, marker.size() - l - 1 - ends));
}

}  // namespace

std::string marked(const std::vector<std::string>& expressions) {
    if (expressions.empty()) return "";
    std::string out =
        "\n#line 1 \"name expression\"\ntemplate <int N, auto* P> __global__ void " + std::string(kMarker) + "() {}\n";
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        auto text = expressions[k];
        const auto first = text.find_first_not_of(" \t\n&");
        text = first == std::string::npos ? "" : text.substr(first);
        out += "template __global__ void " + std::string(kMarker) + "<" + std::to_string(k) + ", &" + text + ">();\n";
    }
    return out;
}

std::map<std::string, std::string> lowered_names(std::string& ptx, const std::vector<std::string>& expressions) {
    std::map<std::string, std::string> out;
    std::string rest;
    rest.reserve(ptx.size());
    bool inside = false;  // a marker, to the end of its body
    for (std::size_t at = 0; at < ptx.size();) {
        auto end = ptx.find('\n', at);
        end = end == std::string::npos ? ptx.size() : end + 1;
        const std::string line = ptx.substr(at, end - at);
        at = end;
        const auto found = line.find(kMangled);
        if (inside || found == std::string::npos) {
            if (!inside) rest += line;
            if (inside && line.starts_with("}")) inside = false;
            continue;
        }
        inside = true;
        const auto stop = line.find_first_not_of(kLetters, found);
        const std::string marker = line.substr(found, stop == std::string::npos ? stop : stop - found);
        const std::size_t number_at = std::string(kMangled).size();
        std::size_t number = 0;
        const auto [e, error] = std::from_chars(marker.data() + number_at, marker.data() + marker.size(), number);
        if (error != std::errc{} || number >= expressions.size()) continue;
        out[expressions[number]] = inner(marker, static_cast<std::size_t>(e - marker.data()) + 1);
    }
    ptx = std::move(rest);
    return out;
}

}  // namespace warpwright::compilers
