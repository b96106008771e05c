// Texts are chosen by the cause's name and way, and numbers go into them with three digits, so that JSON and every
// printer say the same.
#include "record/bottleneck_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "text/words.hpp"

namespace warpwright::record {

namespace {

/// Three digits; whole numbers and large ones whole.
Figure figure(double v) {
    const bool whole = std::abs(v) >= 999.5 || std::abs(v - std::round(v)) < 5e-4;
    return Figure{whole ? fmt::format("{}", fmt::group_digits(std::llround(v))) : fmt::format("{:.3g}", v)};
}

/// An amount of memory in the unit that suits it.
Figure amount(double bytes) {
    constexpr std::pair<double, const char*> kUnits[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
    for (const auto& [size, unit] : kUnits)
        if (bytes >= 0.9995 * size) return Figure{figure(bytes / size).text + " " + unit};
    return Figure{figure(bytes).text + " B"};
}

Values values_of(const Bottleneck& b) {
    Values out;
    for (const auto& [name, value] : b.evidence) {
        if (name == "megabytes")  // profiles that were kept have this in place of `copied`
            out.emplace_back("copied", amount(1e6 * value));
        else
            out.emplace_back(name, name == "copied" ? amount(value) : figure(value));
    }
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

Text title_text(const Bottleneck& b) { return text_of(b, "title"); }
Text evidence_text(const Bottleneck& b) { return text_of(b, "says"); }
Text fix_text(const Bottleneck& b) { return text_of(b, "fix"); }

Text place_text(const Bottleneck& b) {
    Text out;
    if (b.line != 0) out += b.file.substr(b.file.rfind('/') + 1) + ":" + std::to_string(b.line);
    if (b.variable.empty()) return out;
    const bool branch = b.cause == "divergence" || b.cause == "imbalance",
               several = b.variable.find(", ") != b.variable.npos;
    const char* what = branch ? "cause.branch" : several ? "cause.one_of" : "cause.variable";
    out += (out.empty() ? "" : ", ") + message(what, {{"name", Text(b.variable)}});
    return out;
}

std::string evidence_english(const Bottleneck& b) { return Words::plain().render(evidence_text(b)); }
std::string fix_english(const Bottleneck& b) { return Words::plain().render(fix_text(b)); }

}  // namespace warpwright::record
