// A plot of more curves than a reader can tell apart, as small multiples: each curve in a panel of its own, the others
// behind it in grey, all on the same axes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

using record::shown::Plot;
using record::shown::Series;

constexpr double kWidth = 720, kPanelHeight = 96, kTitle = 18, kTicks = 22, kGap = 14;

class Panels {
public:
    Panels(const Plot& plot, const Words& words)
        : plot_(plot), words_(words), x_(x_axis(plot, words, 4)), y_(y_axis(plot, words, 4)) {}

    Svg draw(bool title) {
        double y = 0;
        if (title) body_ += svg_title(plot_.title, 12, y);
        body_ += svg_text(12, y + 14, plot_.y_label, "m", 12);
        y += 24;
        double widest = 0;
        for (const Tick& t : y_.ticks) widest = std::max(widest, text_width(t.label, 11));
        const double left = 14 + widest;
        const std::size_t columns = left > 90 ? 2 : 3;
        wide_ = (kWidth - 12 - left * double(columns)) / double(columns);
        const std::size_t rows = (plot_.series.size() + columns - 1) / columns;
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            left_ = left + double(s % columns) * (wide_ + left);
            top_ = y + double(s / columns) * (kTitle + kPanelHeight + kTicks + kGap) + kTitle;
            panel(s);
        }
        y += double(rows) * (kTitle + kPanelHeight + kTicks + kGap);
        body_ += svg_text(kWidth / 2, y + 6, plot_.x_label, "m o", 12);
        return {kWidth, y + 16, std::move(body_)};
    }

private:
    double at_x(double v) const { return left_ + std::clamp(x_.place(v), 0.0, 1.0) * wide_; }
    double at_y(double v) const { return top_ + (1 - std::clamp(y_.place(v), 0.0, 1.0)) * kPanelHeight; }
    bool visible(double x, double y) const {
        return std::isfinite(x) && std::isfinite(y) && (!x_.log || x > 0) && (!y_.log || y > 0);
    }

    void frame(std::size_t number) {
        const Series& s = plot_.series[number];
        const std::string whole = series_label(plot_, number, words_);
        const std::string& name = text_width(whole, 12) > wide_ + 24 ? s.name : whole;
        body_ += svg_text(left_, top_ - 6, name, "i b", 11.5);
        std::string grid;
        double label = top_ + kPanelHeight + 20;  // labels need room between them
        for (const Tick& t : y_.ticks) {
            if (label - at_y(t.value) < 15) continue;
            label = at_y(t.value);
            grid += fmt::format("M{} {}h{}", coordinate(left_), coordinate(at_y(t.value)), coordinate(wide_));
            body_ += svg_text(left_ - 6, at_y(t.value) + 4, t.label, "m e", 11);
        }
        body_ += fmt::format("<path class=\"g\" d=\"{}\"/>", grid);
        body_ += svg_line(left_, top_ + kPanelHeight, left_ + wide_, top_ + kPanelHeight, "a");
        double free = left_ - 1e9;
        for (const Tick& t : x_.ticks) {
            const double half = text_width(t.label, 11) / 2, x = at_x(t.value);
            if (x - half < free || x + half > left_ + wide_ + 8) continue;
            body_ += svg_text(x, top_ + kPanelHeight + 14, t.label, "m o", 11);
            free = x + half + 6;
        }
    }

    std::string path(const Series& s) const {
        std::string line;
        bool pen_down = false;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            if (!visible(s.x[i], s.y[i])) {
                pen_down = false;
                continue;
            }
            line += fmt::format("{}{} {}", pen_down ? "L" : "M", coordinate(at_x(s.x[i])), coordinate(at_y(s.y[i])));
            pen_down = true;
        }
        return line;
    }

    std::string points(const Series& s, double r) const {
        std::string out;
        for (std::size_t i = 0; i < s.x.size(); ++i)
            if (visible(s.x[i], s.y[i]))
                out += fmt::format("M{} {}h{}v{}h-{}z", coordinate(at_x(s.x[i]) - r), coordinate(at_y(s.y[i]) - r),
                                   coordinate(2 * r), coordinate(2 * r), coordinate(2 * r));
        return out;
    }

    void panel(std::size_t number) {
        frame(number);
        const bool line = plot_.kind == Plot::Kind::line;
        std::string others;
        for (std::size_t s = 0; s < plot_.series.size(); ++s)
            if (s != number) others += line ? path(plot_.series[s]) : points(plot_.series[s], 1.2);
        body_ += fmt::format("<path class=\"c\" d=\"{}\"/>", others);
        const Series& own = plot_.series[number];
        if (line) body_ += fmt::format("<path class=\"l s0\" d=\"{}\"/>", path(own));
        if (!line || own.x.size() <= 24) body_ += fmt::format("<path class=\"f0\" d=\"{}\"/>", points(own, 2.2));
    }

    const Plot& plot_;
    const Words& words_;
    const Axis x_, y_;
    std::string body_;
    double left_ = 0, top_ = 0, wide_ = 0;
};

}  // namespace

Svg draw_panels(const Plot& plot, const Words& words, bool title) { return Panels(plot, words).draw(title); }

}  // namespace warpwright::report
