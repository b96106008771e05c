// Bars, lines and points of one plot are drawn by a class that keeps the drawing area while legend, ticks and curves
// are placed. Plots with many series become small panels, which another file draws.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

using record::Basis;
using record::shown::Plot;
using record::shown::Series;

constexpr double kWidth = 720, kPlotHeight = 300;

/// A series' mark, so that colour alone tells nothing apart.
std::string marker(std::size_t series, double x, double y, double r) {
    const auto c = [](double v) { return coordinate(v); };
    switch (series % 5) {
        case 0:
            return fmt::format("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", c(x - r), c(y), fmt::arg("r", c(r)),
                               fmt::arg("d", c(2 * r)));
        case 1:
            return fmt::format("M{} {}h{d}v{d}h-{d}z", c(x - r * 0.9), c(y - r * 0.9), fmt::arg("d", c(1.8 * r)));
        case 2:
            return fmt::format("M{} {}l{} {}h-{}z", c(x), c(y - 1.2 * r), c(1.15 * r), c(2 * r), c(2.3 * r));
        case 3:
            return fmt::format("M{} {}l{r} {r}l-{r} {r}l-{r} -{r}z", c(x), c(y - 1.25 * r), fmt::arg("r", c(1.25 * r)));
        default:
            return fmt::format("M{} {}l{} -{}h-{}z", c(x), c(y + 1.2 * r), c(1.15 * r), c(2 * r), c(2.3 * r));
    }
}

/// Where a plot's curves rest on different things, the line says on which.
const char* dashes(Basis basis, bool mixed) {
    if (!mixed) return "";
    switch (basis) {
        case Basis::predicted:
            return " stroke-dasharray=\"7 4\"";
        case Basis::computed:
            return " stroke-dasharray=\"2 3\"";
        case Basis::quoted:
            return " stroke-dasharray=\"9 3 2 3\"";
        default:
            return "";
    }
}

class PlotDrawing {
public:
    PlotDrawing(const Plot& plot, const Words& words)
        : plot_(plot), words_(words), x_(x_axis(plot, words)), y_(y_axis(plot, words)) {}

    Svg draw(bool title) {
        double y = 0;
        if (title) body_ += svg_title(plot_.title, 12, y);
        legend(y);
        y += 12;
        body_ += svg_text(12, y + 6, plot_.y_label, "m", 12);
        y += 18;
        top_ = y, bottom_ = y + kPlotHeight;
        double widest = 0;
        for (const Tick& t : y_.ticks) widest = std::max(widest, text_width(t.label, 12));
        left_ = 20 + widest, right_ = kWidth - 16;
        // A slanted name of the first bar reaches to the left.
        if (plot_.kind == Plot::Kind::bar && slanted() && !x_.ticks.empty())
            left_ = std::max(left_, std::min(200.0, 0.77 * text_width(x_.ticks.front().label, 12) + 12 -
                                                        (right_ - left_) / double(x_.ticks.size()) / 2));
        y_ticks();
        const double below = x_ticks();
        for (std::size_t s = 0; s < plot_.series.size(); ++s) has_bars(plot_) ? bars(s) : curve(s);
        y = bottom_ + below;
        body_ += svg_text((left_ + right_) / 2, y, plot_.x_label, "m o", 12);
        return {kWidth, y + 10, std::move(body_)};
    }

private:
    double at_x(double v) const { return left_ + x_.place(v) * (right_ - left_); }
    double at_y(double v) const { return bottom_ - std::clamp(y_.place(v), -0.02, 1.02) * (bottom_ - top_); }
    bool visible(double x, double y) const {
        return std::isfinite(x) && std::isfinite(y) && (!x_.log || x > 0) && (!y_.log || y > 0);
    }

    void legend(double& y) {
        for (const Series& s : plot_.series) mixed_ |= s.basis != plot_.series.front().basis;
        if (plot_.series.size() < 2) return;
        std::vector<LegendEntry> entries;
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            const std::size_t c = s % kSeriesColours;
            std::string mark;
            if (has_bars(plot_)) {
                mark = fmt::format("<rect class=\"f{}\" x=\"4\" width=\"16\" height=\"12\"/>", c);
            } else {
                if (plot_.kind == Plot::Kind::line)
                    mark = fmt::format("<path class=\"l s{}\" d=\"M0 6H24\"{}/>", c,
                                       dashes(plot_.series[s].basis, mixed_));
                mark += fmt::format("<path class=\"f{}\" d=\"{}\"/>", c, marker(s, 12, 6, 3.4));
            }
            entries.push_back({mark, series_label(plot_, s, words_)});
        }
        body_ += svg_legend(entries, 12, y, kWidth - 24);
    }

    void y_ticks() {
        std::string grid;
        for (const Tick& t : y_.ticks) {
            const double y = at_y(t.value);
            grid += fmt::format("M{} {}H{}", coordinate(left_), coordinate(y), coordinate(right_));
            body_ += svg_text(left_ - 8, y + 4, t.label, "m e", 12);
        }
        body_ += fmt::format("<path class=\"g\" d=\"{}\"/>", grid);
        body_ += svg_line(left_, bottom_, right_, bottom_, "a");
    }

    double widest_name() const {
        double widest = 0;
        for (const Tick& t : x_.ticks) widest = std::max(widest, text_width(t.label, 12));
        return widest;
    }

    /// Names of bars that do not fit beside each other.
    bool slanted() const {
        const double room = x_.ticks.empty() ? 1 : (right_ - left_) / double(x_.ticks.size());
        return plot_.kind == Plot::Kind::bar && widest_name() > room - 4;
    }

    /// Returns how far below the axis the axis' name stands.
    double x_ticks() {
        const bool slanted = this->slanted();
        for (const Tick& t : x_.ticks) {
            const double x = at_x(t.value);
            if (!has_bars(plot_)) body_ += svg_line(x, bottom_, x, bottom_ + 4, "a");
            if (slanted)
                body_ += fmt::format(
                    "<text class=\"m e\" font-size=\"12\" transform=\"translate({} {}) rotate(-40)\">{}</text>",
                    coordinate(x + 4), coordinate(bottom_ + 14), escape(unmarked(t.label)));
            else
                body_ += svg_text(x, bottom_ + 18, t.label, "m o", 12);
        }
        return slanted ? 30 + std::min(widest_name(), 220.0) * 0.66 : 40;
    }

    void curve(std::size_t number) {
        const Series& s = plot_.series[number];
        const std::size_t c = number % kSeriesColours;
        std::string line, marks, whiskers;
        bool pen_down = false;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            if (!visible(s.x[i], s.y[i])) {
                pen_down = false;
                continue;
            }
            const double x = at_x(s.x[i]), y = at_y(s.y[i]);
            line += fmt::format("{}{} {}", pen_down ? "L" : "M", coordinate(x), coordinate(y));
            pen_down = true;
            if (s.x.size() <= 80 || plot_.kind != Plot::Kind::line)
                marks += marker(number, x, y, s.x.size() <= 24 ? 3.4 : 2.4);
            whiskers += whisker(s, i, x);
        }
        if (plot_.kind == Plot::Kind::line && !line.empty())
            body_ += fmt::format("<path class=\"l s{}\" d=\"{}\"{}/>", c, line, dashes(s.basis, mixed_));
        if (!whiskers.empty()) body_ += fmt::format("<path class=\"s{}\" fill=\"none\" d=\"{}\"/>", c, whiskers);
        if (!marks.empty()) body_ += fmt::format("<path class=\"f{}\" d=\"{}\"/>", c, marks);
    }

    std::string whisker(const Series& s, std::size_t i, double x) const {
        if (i >= s.spread.size() || !(s.spread[i] > 0)) return {};
        const double low = s.y[i] - s.spread[i], high = s.y[i] + s.spread[i];
        const double y1 = y_.log && low <= 0 ? bottom_ : at_y(low), y2 = at_y(high);
        return fmt::format("M{0} {1}V{2}M{3} {1}h6M{3} {2}h6", coordinate(x), coordinate(y1), coordinate(y2),
                           coordinate(x - 3));
    }

    void bars(std::size_t number) {
        const Series& s = plot_.series[number];
        const double room = (right_ - left_) / (x_.high - x_.low),
                     group = std::min(room * 0.78, 90.0 * double(plot_.series.size()));
        const double wide = group / double(plot_.series.size());
        const double zero = y_.log ? bottom_ : at_y(std::clamp(0.0, y_.low, y_.high));
        std::string path, whiskers;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            if (!visible(std::isfinite(s.x[i]) ? 1.0 : s.x[i], s.y[i])) continue;
            const double x = at_x(s.x[i]) - group / 2 + wide * double(number), y = at_y(s.y[i]);
            path += fmt::format("M{} {}V{}h{}V{}z", coordinate(x), coordinate(zero), coordinate(y),
                                coordinate(std::max(1.0, wide - 1.5)), coordinate(zero));
            whiskers += whisker(s, i, x + wide / 2);
        }
        body_ += fmt::format("<path class=\"f{}\" d=\"{}\"/>", number % kSeriesColours, path);
        if (!whiskers.empty()) body_ += fmt::format("<path class=\"a\" d=\"{}\"/>", whiskers);
    }

    const Plot& plot_;
    const Words& words_;
    const Axis x_, y_;
    std::string body_;
    bool mixed_ = false;
    double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace

Svg draw(const record::shown::Plot& plot, const Words& words, bool title) {
    return has_panels(plot) ? draw_panels(plot, words, title) : PlotDrawing(plot, words).draw(title);
}

}  // namespace warpwright::report
