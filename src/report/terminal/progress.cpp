// Where the terminal is narrow the line drops its bar and then shortens its label, because the count matters most.
#include "report/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/layout.hpp"

namespace warpwright::report {

namespace {

std::string clock(double seconds) {
    const auto s = std::uint64_t(std::max(seconds, 0.0));
    if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

std::string Progress::line(double elapsed_s, std::size_t width, bool unicode, bool color) const {
    const std::uint64_t done = total_ ? std::min(done_, total_) : done_;
    std::string right = total_ ? fmt::format("{}/{}  {}", done, total_, clock(elapsed_s))
                               : fmt::format("{}  {}", done, clock(elapsed_s));
    // Below a second the rate is noise.
    if (total_ && done > 0 && done < total_ && elapsed_s >= 1)
        right += fmt::format("  about {} left", clock(elapsed_s * double(total_ - done) / double(done)));

    constexpr std::size_t kBar = 20, kFrame = 2;
    const bool bar = total_ > 0 && width >= display_width(right) + kBar + kFrame + 4;
    const std::size_t fixed = display_width(right) + (bar ? kBar + kFrame + 2 : 0);
    std::string label = safe(label_);
    label = fixed + 2 < width ? clip(label, width - fixed - 2, unicode) : std::string();

    std::string out = label;
    if (!label.empty()) out += "  ";
    if (bar) {
        const std::size_t full = std::size_t(double(kBar) * double(done) / double(total_));
        std::string filled, rest;
        for (std::size_t i = 0; i < kBar; ++i)
            (i < full ? filled : rest) += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : "-");
        out += '[' + paint(filled, Style::good, color) + paint(rest, Style::dim, color) + "]  ";
    }
    return out + (display_width(right) <= width ? right : clip(right, width, unicode));
}

}  // namespace warpwright::report
