// Prefixes are chosen per column from the middle of its values, so that figures can be compared. Axes are laid out here
// as well, so that drawings in HTML and in the terminal follow the same rules.
#include "report/figures.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/prediction.hpp"

namespace warpwright::report {
namespace {

/// Units that take a prefix.
bool takes_prefix(const std::string& unit) {
    for (const char* known : {"s", "B", "B/s", "FLOP/s", "FLOP", "op/s", "Hz"})
        if (unit == known) return true;
    return false;
}

struct Prefix {
    double scale;
    std::string name;
};

/// The prefix with which `value` lies in 1 to 1000 (bytes: 1 to 1024).
Prefix prefix(double value, const std::string& unit, bool unicode) {
    if (unit == "B") {
        static constexpr const char* names[] = {"", "Ki", "Mi", "Gi", "Ti"};
        unsigned p = 0;
        while (value >= 1024 && p + 1 < std::size(names)) value /= 1024, ++p;
        return {std::pow(1024.0, p), names[p]};
    }
    int p = value > 0 ? int(std::floor(std::log10(value) / 3 + 1e-12)) : 0;
    p = std::clamp(p, unit == "s" ? -4 : 0, unit == "s" ? 0 : 5);
    static constexpr const char* names[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
    return {std::pow(10.0, 3 * p), p == -2 && !unicode ? "u" : names[p + 4]};
}

bool power_of_two(double v) {
    int exponent = 0;
    return v > 0 && std::isfinite(v) && std::frexp(v, &exponent) == 0.5;
}

std::string superscript(int n) {
    static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = n < 0 ? "⁻" : "";
    for (const char c : fmt::format("{}", std::abs(n))) out += digits[c - '0'];
    return out;
}

/// Powers of two up to this one are known by their digits; beyond it they are written as powers.
constexpr double kPlainPower = 65536;

/// 1, 2 or 5 times a power of ten, the least that makes at most `most` steps of `range`.
double nice_step(double range, std::size_t most) {
    const double rough = range / double(std::max<std::size_t>(most, 1));
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= rough * (1 - 1e-9)) return m * power;
    return 10 * power;
}

}  // namespace

double number(const record::shown::Scalar& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
}

std::string significant(double value, int digits) {
    if (std::isnan(value)) return {};
    if (value < 0) return "-" + significant(-value, digits);
    if (std::isinf(value)) return "inf";
    digits = std::clamp(digits, 1, 17);
    if (value == 0) return "0";
    if (value < 1e-4 || value >= 1e15) return fmt::format("{:.{}e}", value, digits - 1);
    // Rounding may add a digit: 9.996 with three is "10.0".
    const double power = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
    const double rounded = std::round(value * power) / power;
    const int decimals = std::max(0, digits - 1 - int(std::floor(std::log10(rounded) + 1e-12)));
    std::string text = fmt::format("{:.{}f}", value, decimals);
    for (std::size_t i = std::min(text.find('.'), text.size()); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

/// "2.65·10⁻⁶".
static std::string power_of_ten(double value, int digits) {
    const std::string text = fmt::format("{:.{}e}", value, std::clamp(digits, 1, 17) - 1);
    const std::size_t e = text.find('e');
    return text.substr(0, e) + "·10" + superscript(std::stoi(text.substr(e + 1)));
}

std::string quantity(double value, const std::string& unit, int digits) {
    if (!takes_prefix(unit) || !std::isfinite(value))
        return significant(value, digits) + (unit.empty() ? "" : " " + unit);
    const Prefix p = prefix(std::abs(value), unit, true);
    return significant(value / p.scale, digits) + " " + p.name + unit;
}

ColumnText::ColumnText(const record::shown::Table& table, std::size_t column, const Words& words, bool unicode)
    : column_(table.columns[column]), words_(words), unit_(column_.unit), unicode_(unicode) {
    double least = 0, most = 0;
    bool first = true;
    for (const auto& row : table.rows) {
        if (std::holds_alternative<std::string>(row[column])) numeric_ = false;
        const double v = number(row[column]);
        if (!std::isfinite(v)) continue;
        low_ = first ? v : std::min(low_, v);
        high_ = first ? v : std::max(high_, v);
        first = false;
        const double size = std::abs(v);
        if (size > 0) least = least > 0 ? std::min(least, size) : size, most = std::max(most, size);
    }
    if (!takes_prefix(unit_) || most == 0) return;
    each_ = most / least > 1e6;
    if (each_) {
        unit_.clear();
        return;
    }
    // The prefix of the figures' middle: "96.9 GB/s" and "3,100 GB/s" rather than "0.0969 TB/s" and "3.10 TB/s". Bytes
    // take that of the least, so that whole ones stay whole.
    const double middle = column_.unit == "B" ? least : std::sqrt(most * least);
    const Prefix chosen = prefix(middle, column_.unit, unicode);
    scale_ = chosen.scale;
    unit_ = chosen.name + column_.unit;
}

std::string ColumnText::with_prefix(double value) const {
    const Prefix p = prefix(std::abs(value), column_.unit, unicode_);
    return significant(value / p.scale, column_.digits) + " " + p.name + column_.unit;
}

std::string ColumnText::cell(const record::shown::Scalar& value) const {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return words_.figure(figure(value));
}

std::string ColumnText::figure(const record::shown::Scalar& value) const {
    const double v = number(value);
    if (std::isnan(v)) return {};
    if (each_) return with_prefix(v);
    if (const double size = std::abs(v / scale_); unicode_ && size > 0 && (size < 1e-4 || size >= 1e15))
        return power_of_ten(v / scale_, column_.digits);
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (!whole || scale_ != 1) {
        // Whole bytes stay whole: "4 KiB".
        const double scaled = v / scale_;
        if (whole && scaled == std::floor(scaled) && std::abs(scaled) < 1e15)
            return (scaled < 0 ? "-" : "") + grouped(std::uint64_t(std::abs(scaled)));
        return significant(scaled, column_.digits);
    }
    return (*whole < 0 ? "-" : "") + grouped(*whole < 0 ? std::uint64_t(-(*whole + 1)) + 1 : std::uint64_t(*whole));
}

double ColumnText::heat(const record::shown::Scalar& value) const {
    const double v = number(value);
    if (!column_.heat || !std::isfinite(v)) return std::numeric_limits<double>::quiet_NaN();
    if (column_.unit == "%") return std::clamp(v / 100, 0.0, 1.0);
    if (column_.hottest && *column_.hottest > 0) return std::clamp(v / *column_.hottest, 0.0, 1.0);
    if (high_ <= low_) return std::numeric_limits<double>::quiet_NaN();
    return low_ >= 0 ? v / high_ : (v - low_) / (high_ - low_);
}

double Axis::place(double value) const {
    if (log) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (value - low) / (high - low);
}

std::string tick_label(double value, bool power_of_two_axis) {
    if (power_of_two_axis && std::abs(value) > 2048 && power_of_two(value)) {
        if (std::abs(value) <= kPlainPower) return fmt::format("{:.0f}", value);
        int exponent = 0;
        (void)std::frexp(value, &exponent);
        return "2" + superscript(exponent - 1);
    }
    const double size = std::abs(value);
    if (size == 0) return "0";
    if (size >= 1e15 || size < 1e-3) {
        const int p = int(std::floor(std::log10(size) + 1e-9));
        const double m = value / std::pow(10.0, p);
        return (std::abs(m - 1) < 1e-6 ? "" : fmt::format("{:.3g}·", m)) + "10" + superscript(p);
    }
    static constexpr std::pair<double, const char*> scales[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}};
    for (const auto& [from, name] : scales)
        if (size >= from) return fmt::format("{:.4g}{}", value / (from == 1e4 ? 1e3 : from), name);
    return fmt::format("{:.5g}", value);
}

std::string tick_with_unit(double value, const std::string& unit, bool power_of_two_axis) {
    if (unit.empty()) return tick_label(value, power_of_two_axis);
    if (value == 0) return "0";
    if (!takes_prefix(unit)) return tick_label(value, power_of_two_axis) + " " + unit;
    const Prefix p = prefix(std::abs(value), unit, true);
    return fmt::format("{:.4g} {}{}", value / p.scale, p.name, unit);
}

namespace {

/// Ticks at m times powers of ten, for each m of `within`, every `step`th power.
std::vector<double> decade_ticks(double low, double high, std::initializer_list<double> within, int step) {
    std::vector<double> out;
    const int first = int(std::floor(std::log10(low))), last = int(std::ceil(std::log10(high)));
    for (int p = first; p <= last; p += step)
        for (const double m : within)
            if (const double t = m * std::pow(10.0, p); t >= low && t <= high) out.push_back(t);
    return out;
}

std::vector<double> even_ticks(double low, double high, double step) {
    std::vector<double> out;
    for (int i = 0; i < 100; ++i) {
        const double t = (std::ceil(low / step - 1e-9) + i) * step;
        if (t > high + step * 1e-6) break;
        out.push_back(std::abs(t) < step * 1e-9 ? 0 : t);
    }
    return out;
}

/// The coarsest ticks of which three fit at least.
std::vector<double> log_ticks(double low, double high, std::size_t most) {
    const double decades = std::log10(high / low);
    auto out = decade_ticks(low, high, {1}, std::max(1, int(std::ceil(decades / double(most)))));
    if (out.size() < 3 || decades < 3) out = decade_ticks(low, high, {1, 2, 5}, 1);
    if (out.size() < 3) out = decade_ticks(low, high, {1, 1.5, 2, 3, 4, 5, 6, 8}, 1);
    for (std::size_t steps = 4; out.size() < 3 && steps < 64; steps *= 2)
        out = even_ticks(low, high, nice_step(high - low, steps));
    return out;
}

Axis power_of_two_axis(double low, double high, const std::string& unit, std::size_t most) {
    Axis axis;
    axis.log = true;
    const int first = int(std::floor(std::log2(low) + 1e-9));
    const int last = std::max(first + 2, int(std::ceil(std::log2(high) - 1e-9)));
    const int step = std::max(1, int(std::ceil(double(last - first + 1) / double(most))));
    for (int p = first; p <= last; p += step)
        axis.ticks.push_back({std::exp2(p), tick_with_unit(std::exp2(p), unit, true)});
    // "65536" beside "2¹⁷" reads as another kind of number: those of four digits and fewer keep theirs.
    if (unit.empty() && !axis.ticks.empty() && axis.ticks.back().value > kPlainPower)
        for (Tick& t : axis.ticks)
            if (t.value > 2048) t.label = "2" + superscript(int(std::lround(std::log2(t.value))));
    const double margin = std::exp2(0.03 * double(last - first) + 0.1);
    axis.low = std::exp2(first) / margin, axis.high = std::exp2(last) * margin;
    return axis;
}

Axis log_axis(double low, double high, const std::string& unit, std::size_t most) {
    Axis axis;
    axis.log = true;
    const double margin = std::pow(10.0, 0.04 * std::log10(high / low) + 0.02);
    axis.low = low / margin, axis.high = high * margin;
    for (const double t : log_ticks(axis.low, axis.high, most))
        axis.ticks.push_back({t, tick_with_unit(t, unit, false)});
    return axis;
}

}  // namespace

Axis make_axis(const std::vector<double>& values, const AxisKind& kind, std::size_t most_ticks) {
    std::vector<double> v;
    for (const double x : values)
        if (std::isfinite(x) && (!kind.log || x > 0)) v.push_back(x);
    if (v.empty() && kind.log) return make_axis(values, {false, kind.from_zero, kind.unit}, most_ticks);
    if (v.empty()) v.push_back(0);
    std::sort(v.begin(), v.end());
    double low = v.front(), high = v.back();
    if (kind.log) {
        const bool twos = kind.unit == "B" || std::all_of(v.begin(), v.end(), power_of_two);
        if (low == high) low /= 2, high *= 2;
        return twos ? power_of_two_axis(low, high, kind.unit, most_ticks) : log_axis(low, high, kind.unit, most_ticks);
    }
    Axis axis;
    if (kind.from_zero) low = std::min(low, 0.0), high = std::max(high, 0.0);
    // Near zero, zero belongs to the picture.
    if (low > 0 && low < 0.6 * high) low = 0;
    if (low == high) low -= low == 0 ? 0 : std::abs(low) / 2, high += high == 0 ? 1 : std::abs(high) / 2;
    const double step = nice_step(high - low, most_ticks);
    axis.low = std::floor(low / step + 1e-9) * step;
    axis.high = std::ceil(high / step - 1e-9) * step;
    for (const double t : even_ticks(axis.low, axis.high, step))
        axis.ticks.push_back({t, tick_with_unit(t, kind.unit, false)});
    return axis;
}

bool has_bars(const record::shown::Plot& plot) { return plot.kind == record::shown::Plot::Kind::bar && !plot.y_log; }

bool has_panels(const record::shown::Plot& plot) {
    return plot.kind != record::shown::Plot::Kind::bar && plot.series.size() > std::size_t{kSeriesColours};
}

namespace {

void localise(Axis& axis, const Words& words) {
    for (Tick& t : axis.ticks) t.label = words.figure(t.label);
}

Axis category_axis(const record::shown::Plot& plot) {
    Axis axis;
    axis.low = -0.5, axis.high = std::max(0.5, double(plot.categories.size()) - 0.5);
    const std::size_t step = std::max<std::size_t>(1, (plot.categories.size() + 39) / 40);
    for (std::size_t i = 0; i < plot.categories.size(); i += step)
        axis.ticks.push_back({double(i), plot.categories[i]});
    return axis;
}

/// A curve of three points or more, all within two parts in a hundred of each other.
bool flat(const record::shown::Series& s) {
    double low = 0, high = 0;
    std::size_t points = 0;
    for (const double y : s.y) {
        if (!std::isfinite(y)) continue;
        low = points ? std::min(low, y) : y, high = points ? std::max(high, y) : y;
        ++points;
    }
    return points > 2 && high > 0 && low >= 0.98 * high;
}

}  // namespace

Axis x_axis(const record::shown::Plot& plot, const Words& words, std::size_t most_ticks) {
    if (plot.kind == record::shown::Plot::Kind::bar) return category_axis(plot);
    std::vector<double> all;
    for (const record::shown::Series& s : plot.series) all.insert(all.end(), s.x.begin(), s.x.end());
    Axis axis = make_axis(all, {plot.x_log, false, plot.x_unit}, most_ticks);
    double low = axis.high, high = axis.low;
    for (const double x : all)
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    if (!axis.log && low < high) {
        // The curve may use the whole width: the range ends where the data does, with a little air.
        const double air = 0.02 * (high - low);
        axis.low = std::max(axis.low - air, low - air), axis.high = high + air;
        const auto outside = [&](const Tick& t) { return t.value < axis.low || t.value > axis.high; };
        std::erase_if(axis.ticks, outside);
        for (std::size_t more = 2 * most_ticks; axis.ticks.size() < 3 && more < 64; more *= 2) {
            axis.ticks = make_axis(all, {false, false, plot.x_unit}, more).ticks;
            std::erase_if(axis.ticks, outside);
        }
    }
    localise(axis, words);
    return axis;
}

Axis y_axis(const record::shown::Plot& plot, const Words& words, std::size_t most_ticks) {
    std::vector<double> all;
    for (const record::shown::Series& s : plot.series)
        for (std::size_t i = 0; i < s.y.size(); ++i) {
            const double spread = i < s.spread.size() && std::isfinite(s.spread[i]) ? s.spread[i] : 0;
            all.push_back(s.y[i] + spread);
            if (!plot.y_log || s.y[i] - spread > 0) all.push_back(s.y[i] - spread);
        }
    Axis axis = make_axis(all, {plot.y_log, has_bars(plot), plot.y_unit}, most_ticks);
    localise(axis, words);
    return axis;
}

std::string bases_of(const record::shown::Plot& plot, const Words& words) {
    std::string out;
    std::vector<record::Basis> told;
    for (const record::shown::Series& s : plot.series) {
        if (std::find(told.begin(), told.end(), s.basis) != told.end()) continue;
        told.push_back(s.basis);
        out += (out.empty() ? "" : ", ") + basis_name(s.basis, words);
    }
    return out;
}

std::string with_powers(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.find('[') != std::string_view::npos) return std::string(text);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char before = i > 0 ? text[i - 1] : ' ';
        std::size_t end = i + 1;
        while (end < text.size() && end < i + 4 && digit(text[end])) ++end;
        const bool power = text[i] == '^' && ((before >= 'A' && before <= 'Z') || digit(before) || before == ')');
        if (!power || end == i + 1) {
            out += text[i];
            continue;
        }
        out += superscript(std::stoi(std::string(text.substr(i + 1, end - i - 1))));
        i = end - 1;
    }
    return out;
}

std::string series_label(const record::shown::Plot& plot, std::size_t series, const Words& words) {
    const record::shown::Series& own = plot.series[series];
    const bool mixed = std::any_of(plot.series.begin(), plot.series.end(), [&](const record::shown::Series& s) {
        return s.basis != plot.series.front().basis;
    });
    const std::string basis = basis_name(own.basis, words);
    return mixed && !own.name.ends_with(basis) ? own.name + " (" + basis + ")" : own.name;
}

std::string plot_caption(const record::shown::Plot& plot, const Words& words) {
    if (plot.kind != record::shown::Plot::Kind::line) return plot.caption;
    std::string names;
    std::size_t count = 0;
    for (const record::shown::Series& s : plot.series)
        if (flat(s)) names += (names.empty() ? "`" : ", `") + (s.name.empty() ? plot.y_label : s.name) + "`", ++count;
    if (count == 0 || !words.has("report.flat")) return plot.caption;
    const bool every = count == plot.series.size() && count > 1;
    const std::string note =
        words(every ? "report.flat_all" : "report.flat", {{"curves", names}, {"axis", plot.x_label}});
    return plot.caption.empty() ? note : plot.caption + " " + note;
}

std::string source_titles(const record::shown::Page& page, const Words& words) {
    std::string out;
    for (const std::string& source : page.sources) {
        const std::string key = "text." + source;
        out += (out.empty() ? "" : "; ") + (words.has(key) ? words(key) : source);
    }
    return out;
}

std::string word(const Words& words, const char* key, const char* otherwise) {
    return words.has(key) ? words(key) : std::string(otherwise);
}

Text count_text(record::Count count) {
    std::string key(record::count_key(count));
    const std::string full = "counts." + key;
    std::replace(key.begin(), key.end(), '_', ' ');
    return message_or(full, key);
}

std::string count_name(record::Count count, const Words& words) { return words.render(count_text(count)); }

std::string basis_name(record::Basis basis, const Words& words) {
    static constexpr const char* keys[] = {"basis.counted", "basis.measured", "basis.predicted", "basis.computed",
                                           "basis.quoted"};
    return words(keys[unsigned(basis)]);
}

std::string file_safe(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        out += plain ? c : '-';
    }
    return out.empty() ? "-" : out;
}

std::string block_name(const record::shown::Page& page, const std::string& id) {
    return file_safe(page.id) + '-' + file_safe(id);
}

std::vector<std::pair<std::string, std::string>> environment_lines(const record::Environment& e, const Words& words) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) out.emplace_back(words(key), text);
    };
    add("report.environment_version", e.version);
    add("report.environment_date", record::readable_date(e.date));
    add("report.environment_device",
        e.device_name.empty() ? words.name(e.device) : e.device_name + " (" + e.device + ")");
    add("report.environment_model", e.model);
    add("report.environment_driver", e.driver);
    if (e.clock_mhz > 0) add("report.environment_clock", fmt::format("{:.0f} MHz", e.clock_mhz));
    if (e.memory_clock_mhz > 0) add("report.environment_memory_clock", fmt::format("{:.0f} MHz", e.memory_clock_mhz));
    add("report.environment_cpu", e.cpu);
    add("report.environment_target", e.target);
    if (e.host_threads > 0) add("report.environment_threads", fmt::format("{}", e.host_threads));
    return out;
}

ListingCounts listing_counts(const record::shown::Listing& listing, const Words& words) {
    ListingCounts out;
    std::istringstream in(listing.text);
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        out.lines.push_back(std::move(line));
    }
    for (const record::Count count : listing.shown)
        if (std::any_of(listing.lines.begin(), listing.lines.end(),
                        [&](const auto& l) { return l.counts[count] != 0; }))
            out.columns.push_back(count);
    out.values.assign(out.lines.size(), std::vector<std::uint64_t>(out.columns.size(), 0));
    out.counted.assign(out.lines.size(), false);
    out.most.assign(out.columns.size(), 0);
    for (const record::LineCounts& line : listing.lines) {
        if (line.line < listing.first_line || line.line - listing.first_line >= out.lines.size()) continue;
        const std::size_t at = line.line - listing.first_line;
        out.counted[at] = true;
        for (std::size_t c = 0; c < out.columns.size(); ++c) {
            out.values[at][c] += line.counts[out.columns[c]];
            out.most[c] = std::max(out.most[c], out.values[at][c]);
        }
    }
    if (listing.stood.empty()) return out;
    record::Predicted p;
    p.stalls = listing.stalls, p.lines = listing.stood;
    out.stood.resize(out.lines.size());
    for (const record::PredictedLine& line : listing.stood)
        if (line.line >= listing.first_line && line.line - listing.first_line < out.lines.size())
            out.stood[line.line - listing.first_line] = line_stalls(p, line.file, line.line, words);
    return out;
}

}  // namespace warpwright::report
