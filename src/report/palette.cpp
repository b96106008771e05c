#include "report/palette.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpwright::report {
namespace {

struct Colour {
    std::string_view name, light, dark;
};

// s: curves, at least 3:1 on the page. t: cells with text on them; 8 to 15 are the same hues, stronger. h: counts from
// few to many, one hue from pale to deep (from dim to bright in the dark).
constexpr Colour kColours[] = {
    {"page", "#ffffff", "#11161b"},   {"panel", "#f4f6f8", "#181f26"},  {"raised", "#ffffff", "#1c242c"},
    {"ink", "#16202b", "#e6ebf0"},    {"muted", "#55616e", "#9dabb8"},  {"line", "#d5dce3", "#323d48"},
    {"grid", "#e8ecf0", "#252e37"},  {"shade", "#16202b2e", "#00000099"},   {"accent", "#0a5aa8", "#74b8f4"}, {"wash", "#e8f1fa", "#152839"},
    {"warn", "#8a4b00", "#f0b35e"},   {"warnwash", "#fff4e0", "#33260f"}, {"bad", "#a4161a", "#ff8f8f"},
    {"badwash", "#fdecec", "#3a1618"}, {"good", "#1a6b3c", "#6fd19b"},  {"goodwash", "#e8f6ee", "#10301e"},
    {"s0", "#0b63b0", "#62aef5"},     {"s1", "#c8500a", "#ff9352"},     {"s2", "#00806a", "#3fcfae"},
    {"s3", "#9a3f94", "#dc8fd6"},     {"s4", "#8f6a00", "#e2bd4a"},     {"s5", "#2b8fc9", "#a9dcff"},
    {"s6", "#5a6673", "#aab6c2"},     {"s7", "#b3204d", "#ff7d9c"},
    {"t0", "#abcff1", "#1f5a94"},     {"t1", "#f9c49d", "#94460f"},     {"t2", "#a5decd", "#0f6755"},
    {"t3", "#e0bade", "#773a75"},     {"t4", "#f1de96", "#6d5a0d"},     {"t5", "#ccd5dd", "#46525d"},
    {"t6", "#f5b6c3", "#8c324e"},     {"t7", "#c8dc92", "#50681a"},     {"t8", "#74ace2", "#2f78bd"},
    {"t9", "#ee9e64", "#bb5e1c"},     {"t10", "#66c2a9", "#16866f"},    {"t11", "#c78dc4", "#9c559a"},
    {"t12", "#dcbe50", "#8f7614"},    {"t13", "#a2b0bc", "#647280"},    {"t14", "#e6889e", "#b84a6c"},
    {"t15", "#a1be56", "#6d8b26"},
    {"h0", "#fffaec", "#1d1b18"},     {"h1", "#fff1cd", "#2c2418"},     {"h2", "#fee4a6", "#402e18"},
    {"h3", "#fdd27b", "#573b18"},     {"h4", "#fbb956", "#724919"},     {"h5", "#f59b3d", "#8f591a"},
    {"h6", "#e67b2a", "#c07c26"},     {"h7", "#c4540f", "#dd9a38"},     {"h8", "#a03b10", "#f1ba5a"},
    {"h9", "#782a0d", "#ffdc90"},
    {"plain", "#e9edf1", "#232c34"},  {"ontone", "#101820", "#ffffff"}, {"oncold", "#101820", "#ffffff"},
    {"onwarm", "#101820", "#15100a"},
    {"onhot", "#ffffff", "#15100a"},
    // Syntax.
    {"kw", "#8a2a86", "#e09be0"},     {"ty", "#005f87", "#79c7ee"},     {"bi", "#9a4600", "#f5ab6b"},
    {"nu", "#00695a", "#5fd4bd"},     {"st", "#3d6b00", "#b3d977"},     {"co", "#5d6975", "#8b99a6"},
    {"di", "#7a3e48", "#e79fa9"},
};

// k, kc, k6, kh: text on tones and on cold, warm and hot heats.
constexpr std::string_view kRules =
    "text{font-family:var(--sans)}.i{fill:var(--ink)}.m{fill:var(--muted)}.b{font-weight:600}.e{text-anchor:end}"
    ".o{text-anchor:middle}.g{stroke:var(--grid);fill:none}.a{stroke:var(--muted);fill:none}.p{fill:var(--plain)}"
    ".k{fill:var(--ontone)}.kc{fill:var(--oncold)}.k6{fill:var(--onwarm)}.kh{fill:var(--onhot)}.l{fill:none;stroke-width:2;stroke-linejoin:round}";

constexpr std::string_view kSans = "Inter,'Segoe UI','Helvetica Neue',Arial,'Noto Sans','Noto Sans CJK SC',sans-serif";

}  // namespace

std::string_view colour(std::string_view name, bool dark) {
    for (const Colour& c : kColours)
        if (c.name == name) return dark ? c.dark : c.light;
    return "#ff00ff";
}

std::string palette_css(bool dark) {
    std::string out;
    for (const Colour& c : kColours) out += fmt::format("--{}:{};", c.name, dark ? c.dark : c.light);
    return out;
}

std::string drawing_css(bool literal) {
    std::string css(kRules);
    for (int i = 0; i < kSeriesColours; ++i) css += fmt::format(".s{0}{{stroke:var(--s{0})}}.f{0}{{fill:var(--s{0})}}", i);
    for (int i = 0; i < kTones; ++i) css += fmt::format(".t{0}{{fill:var(--t{0})}}", i);
    for (int i = 0; i < kHeats; ++i) css += fmt::format(".h{0}{{fill:var(--h{0})}}", i);
    if (!literal) return css;
    for (std::size_t at; (at = css.find("var(--")) != std::string::npos;) {
        const std::size_t end = css.find(')', at);
        const std::string name = css.substr(at + 6, end - at - 6);
        css.replace(at, end - at + 1, name == "sans" ? kSans : colour(name, false));
    }
    return css;
}

int heat_step(double heat) { return std::clamp(int(heat * kHeats), 0, kHeats - 1); }

int tone_step(int tone) { return tone < 0 ? 0 : tone % kTones; }

}  // namespace warpwright::report
