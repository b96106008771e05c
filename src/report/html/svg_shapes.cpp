// Coordinates are printed with two decimals at most and shapes of one colour share a path, which keeps pages small.
// Text widths are estimated, since no font is at hand.
#include "report/html/svg_shapes.hpp"

#include <cmath>

#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/palette.hpp"

namespace warpwright::report {

std::string unmarked(std::string_view text) {
    std::string out(text);
    std::erase(out, '`');
    return with_powers(out);
}

std::string coordinate(double value) {
    if (!std::isfinite(value)) return "0";
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
    return 0.58 * size * double(display_width(safe(unmarked(text))));
}

std::string svg_text(double x, double y, std::string_view text, std::string_view classes, double size) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>", classes, coordinate(x),
                       coordinate(y), coordinate(size), escape(unmarked(text)));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes) {
    return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>", classes, coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2));
}

void Boxes::add(const std::string& kind, double x, double y, double width, double height) {
    std::string* path = nullptr;
    for (auto& [name, text] : paths_)
        if (name == kind) path = &text;
    if (!path) path = &paths_.emplace_back(kind, "").second;
    const std::string w = coordinate(width);
    *path += fmt::format("M{} {}h{}v{}h-{}z", coordinate(x), coordinate(y), w, coordinate(height), w);
}

std::string Boxes::text() const {
    std::string out;
    for (const auto& [kind, path] : paths_) out += fmt::format("<path class=\"{}\" d=\"{}\"/>", kind, path);
    return out;
}

std::string svg_legend(const std::vector<LegendEntry>& entries, double x, double& y, double width) {
    if (entries.empty()) return {};
    std::string out;
    double at = x;
    y += 6;
    for (const LegendEntry& entry : entries) {
        const double wide = 28 + text_width(entry.text, 12) + 18;
        if (at > x && at + wide > x + width + 18) at = x, y += 20;
        out += fmt::format("<g transform=\"translate({} {})\">{}</g>", coordinate(at), coordinate(y), entry.mark);
        out += svg_text(at + 28, y + 10.5, entry.text, "i", 12);
        at += wide;
    }
    y += 20;
    return out;
}

std::vector<LegendEntry> tone_entries(const std::vector<record::shown::Legend>& legend) {
    std::vector<LegendEntry> out;
    for (const record::shown::Legend& l : legend)
        out.push_back({fmt::format("<rect class=\"{}\" x=\"4\" width=\"16\" height=\"12\" rx=\"2\"/>",
                                   l.tone < 0 ? "p" : fmt::format("t{}", tone_step(l.tone))),
                       l.text});
    return out;
}

std::string svg_title(const std::string& title, double x, double& y) {
    y += 18;
    std::string out = svg_text(x, y, title, "i b", 15);
    y += 8;
    return out;
}

std::string svg_file(const Svg& svg, const std::string& title, const std::string& caption) {
    std::string out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
        "height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n",
        coordinate(svg.width), coordinate(svg.height), escape(unmarked(title)));
    if (!caption.empty()) out += "<desc>" + escape(unmarked(caption)) + "</desc>\n";
    out += "<style>" + drawing_css(true) + "</style>\n";
    out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", coordinate(svg.width),
                       coordinate(svg.height), colour("page", false));
    return out + svg.body + "\n</svg>\n";
}

std::string svg_inside(const Svg& svg, const std::string& label, const std::string& kind) {
    return fmt::format(
        "<svg class=\"drawing {}\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" "
        "style=\"max-width:{}px;min-width:{}px\">{}</svg>",
        kind, escape(unmarked(label)), coordinate(svg.width), coordinate(svg.height), coordinate(std::ceil(svg.width)),
        coordinate(std::ceil(svg.width * (svg.width > 420 ? 0.8 : 1))), svg.body);
}

}  // namespace warpwright::report
