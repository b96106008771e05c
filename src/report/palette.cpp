// The colours are one table with a value for light and one for dark. Drawings that stand alone get literal colours in
// place of variables, since they have no page around them.
#include "report/palette.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpwright::report {
namespace {

struct Colour {
    std::string_view name, light, dark;
};

// s: curves, at least 3:1 on the page. t: cells with text on them; 8 to 15 are the same hues, stronger. Both were
// chosen by a search for the largest least difference of any two, as trichromats and the three kinds of dichromats see
// them. h: from few to many, one hue from pale to deep (from dim to bright in the dark).
constexpr Colour kColours[] = {
    {"page", "#ffffff", "#11161b"},
    {"panel", "#f4f6f8", "#181f26"},
    {"ink", "#16202b", "#e6ebf0"},
    {"muted", "#55616e", "#9dabb8"},
    {"line", "#d5dce3", "#323d48"},
    {"grid", "#e8ecf0", "#252e37"},
    {"shade", "#16202b2e", "#00000099"},
    {"accent", "#0a5aa8", "#74b8f4"},
    {"wash", "#e8f1fa", "#152839"},
    {"warn", "#8a4b00", "#f0b35e"},
    {"warnwash", "#fff4e0", "#33260f"},
    {"bad", "#a4161a", "#ff8f8f"},
    {"badwash", "#fdecec", "#3a1618"},
    {"s0", "#276be0", "#5f90f7"},
    {"s1", "#a24712", "#f0704f"},
    {"s2", "#004d26", "#35e5b8"},
    {"s3", "#6f308d", "#ac82ba"},
    {"s4", "#b58e17", "#ecc94b"},
    {"s5", "#0f9fc8", "#75c8f6"},
    {"s6", "#7a838c", "#c3cfdb"},
    {"s7", "#e42756", "#ef8298"},
    {"t0", "#93bcd9", "#0472bf"},
    {"t1", "#dca06c", "#753600"},
    {"t2", "#8fead6", "#1e4a40"},
    {"t3", "#bc9cf4", "#632d6b"},
    {"t4", "#f4f090", "#736f3e"},
    {"t5", "#b4bcc4", "#5d707f"},
    {"t6", "#fd87aa", "#95555a"},
    {"t7", "#c9dca6", "#3e4922"},
    {"t8", "#799cb4", "#024e85"},
    {"t9", "#b78459", "#bc5b00"},
    {"t10", "#76c3b2", "#3a8272"},
    {"t11", "#9c81cb", "#aa52b7"},
    {"t12", "#cbc877", "#4e4c28"},
    {"t13", "#a9b2b8", "#3f4c57"},
    {"t14", "#d36f8d", "#67393d"},
    {"t15", "#99a881", "#6b7d3f"},
    {"h0", "#fffaec", "#1d1b18"},
    {"h1", "#fff1cd", "#2c2418"},
    {"h2", "#fee4a6", "#402e18"},
    {"h3", "#fdd27b", "#573b18"},
    {"h4", "#fbb956", "#724919"},
    {"h5", "#f59b3d", "#8f591a"},
    {"h6", "#e67b2a", "#c07c26"},
    {"h7", "#c4540f", "#dd9a38"},
    {"h8", "#a03b10", "#f1ba5a"},
    {"h9", "#782a0d", "#ffdc90"},
    {"plain", "#e9edf1", "#232c34"},
    {"ontone", "#101820", "#ffffff"},
    {"oncold", "#101820", "#ffffff"},
    {"onwarm", "#101820", "#15100a"},
    {"onhot", "#ffffff", "#15100a"},
    // Syntax.
    {"kw", "#8a2a86", "#e09be0"},
    {"ty", "#005f87", "#79c7ee"},
    {"bi", "#9a4600", "#f5ab6b"},
    {"nu", "#00695a", "#5fd4bd"},
    {"st", "#3d6b00", "#b3d977"},
    {"co", "#5d6975", "#8b99a6"},
    {"di", "#7a3e48", "#e79fa9"},
};

// k, kc, k6, kh: text on tones and on cold, warm and hot heats.
constexpr std::string_view kRules =
    "text{font-family:var(--sans)}.i{fill:var(--ink)}.m{fill:var(--muted)}.b{font-weight:600}.e{text-anchor:end}"
    ".o{text-anchor:middle}.g{stroke:var(--grid);fill:none}.a{stroke:var(--muted);fill:none}.c{stroke:var(--line);fill:"
    "none}.p{fill:var(--plain)}"
    ".k{fill:var(--ontone)}.kc{fill:var(--oncold)}.k6{fill:var(--onwarm)}.kh{fill:var(--onhot)}.l{fill:none;stroke-"
    "width:2;stroke-linejoin:round}";

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
    for (int i = 0; i < kSeriesColours; ++i)
        css += fmt::format(".s{0}{{stroke:var(--s{0})}}.f{0}{{fill:var(--s{0})}}", i);
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
