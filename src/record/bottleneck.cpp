// Texts are chosen by the cause's name and way, and numbers go into them with three digits, so that JSON and every
// printer say the same.
#include "record/bottleneck.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "record/bottleneck_text.hpp"
#include "text/words.hpp"

namespace warpwright::record {

namespace {

constexpr BottleneckInfo kRows[] = {
#define WARPWRIGHT_CAUSE(name, of, meaning, told) {#name, CauseOf::of, meaning, told},
#include "record/causes.inc"
};

/// Three digits; whole numbers and large ones whole.
Figure figure(double v) {
    const bool whole = std::abs(v) >= 999.5 || std::abs(v - std::round(v)) < 5e-4;
    return Figure{whole ? fmt::format("{}", fmt::group_digits(std::llround(v))) : fmt::format("{:.3g}", v)};
}

Values values_of(const Bottleneck& b) {
    Values out;
    for (const auto& [name, value] : b.evidence) out.emplace_back(name, figure(value));
    for (const auto& [name, word] : b.names) out.emplace_back(name, name_text(word));
    out.emplace_back("share", Figure{fmt::format("{:.0f}", 100 * b.share)});
    return out;
}

std::string key(const Bottleneck& b, const char* text, const std::string& way) {
    return "cause." + b.cause + "." + text + (way.empty() ? "" : "_" + way);
}

/// The text of the way where the cause has one of its own, else the usual one.
Text text_of(const Bottleneck& b, const char* text) {
    const bool own = !b.way.empty() && Words::plain().has(key(b, text, b.way));
    return message(key(b, text, own ? b.way : ""), values_of(b));
}

}  // namespace

std::span<const BottleneckInfo> causes() { return kRows; }

bool is_cause(std::string_view name) {
    return std::any_of(std::begin(kRows), std::end(kRows), [&](const BottleneckInfo& row) { return row.name == name; });
}

Text title_text(const Bottleneck& b) { return text_of(b, "title"); }
Text evidence_text(const Bottleneck& b) { return text_of(b, "says"); }
Text fix_text(const Bottleneck& b) { return text_of(b, "fix"); }

Text place_text(const Bottleneck& b) {
    Text out;
    if (b.line != 0) out += b.file.substr(b.file.rfind('/') + 1) + ":" + std::to_string(b.line);
    if (!b.variable.empty()) out += (out.empty() ? "" : ", ") + message("cause.variable", {{"name", Text(b.variable)}});
    return out;
}

std::string evidence_english(const Bottleneck& b) { return Words::plain().render(evidence_text(b)); }
std::string fix_english(const Bottleneck& b) { return Words::plain().render(fix_text(b)); }

void order(std::vector<Bottleneck>& causes) {
    constexpr double kMuch = 0.2;
    const auto rank = [](const Bottleneck& b) {
        if (b.cause == kNearTheLimit) return -3.0;
        if (b.cause == "launch_overhead" && b.way.empty()) return b.share - 2;
        return b.cause == "slow_math" || b.share < kMuch ? b.share - 1 + kMuch : b.share;
    };
    std::stable_sort(causes.begin(), causes.end(), [&](const auto& x, const auto& y) { return rank(x) > rank(y); });
}

void join(std::vector<Bottleneck>& a, const std::vector<Bottleneck>& b, double of_a, double of_b) {
    const double all = of_a + of_b;
    if (!(all > 0)) return;
    for (Bottleneck& own : a) own.share *= of_a / all;
    for (Bottleneck more : b) {
        more.share *= of_b / all;
        const auto same = std::find_if(a.begin(), a.end(), [&](const auto& own) { return own.cause == more.cause; });
        if (same == a.end()) {
            a.push_back(std::move(more));
            continue;
        }
        const double together = same->share + more.share;
        if (more.share > same->share) *same = std::move(more);
        same->share = together;
    }
    order(a);
    if (!a.empty() && a.front().share >= kLeastShare)
        std::erase_if(a, [](const auto& one) { return one.cause == kNearTheLimit; });
}

}  // namespace warpwright::record
