// The longest label and the longest figure decide how much width is left for the bars, and the largest value fills it.
#include "report/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"

namespace warpwright::report {

std::string bars(const std::string& title, const std::vector<std::pair<std::string, double>>& values, std::size_t width,
                 bool unicode, const std::function<std::string(double)>& shown) {
    if (values.empty()) return {};
    const auto text = [&](double value) { return shown ? shown(value) : plain(value); };
    double most = 0;
    std::size_t label = 0, number = 0;
    for (const auto& [name, value] : values) {
        if (std::isfinite(value)) most = std::max(most, value);
        label = std::max(label, display_width(name));
        number = std::max(number, display_width(text(value)));
    }
    const std::size_t used = label + number + 5,
                      room = (width == 0 ? 80 : width) > used + 10 ? (width == 0 ? 80 : width) - used : 10;
    std::string out = safe(title) + '\n';
    for (const auto& [name, value] : values) {
        const double share = most > 0 && std::isfinite(value) ? std::max(0.0, value) / most : 0;
        const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(room)));
        std::string bar;
        for (std::size_t i = 0; i < length; ++i) bar += unicode ? "█" : "#";
        out += fmt::format("  {:>{}} {}{} {}\n", safe(name), label, unicode ? "│" : "|", bar, text(value));
    }
    return out;
}

}  // namespace warpwright::report
