// Figures of pages as text: cells of tables, ticks of axes. All page printers show a figure alike.
#pragma once

#include <string>
#include <vector>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// A real number with so many significant digits and grouped thousands: "0.0123", "12.3", "12,345"; "" for NaN.
std::string significant(double value, int digits);

/// With its unit and the prefix that fits it: 1.15e-4, "s" -> "115 µs"; without a unit as significant().
std::string quantity(double value, const std::string& unit, int digits = 3);

/// How a table's column is shown: one prefix for all its figures where they lie close together, else one each.
class ColumnText {
public:
    ColumnText(const record::shown::Table& table, std::size_t column, const Words& words, bool unicode = true);

    /// The unit that stands in the heading: "ms", "GB/s"; empty where none does or every cell has its own.
    std::string unit() const { return words_.unit(unit_); }
    /// Every cell is a figure, or empty.
    bool numeric() const { return numeric_; }
    std::string cell(const record::shown::Scalar& value) const;
    /// 0 to 1: of percent the hundredth part, whatever the others are; else the share of the column's largest figure.
    /// NaN for what is none, or where all are alike.
    double heat(const record::shown::Scalar& value) const;

private:
    std::string with_prefix(double value) const;
    std::string figure(const record::shown::Scalar& value) const;

    const record::shown::Column& column_;
    const Words& words_;
    std::string unit_;
    double scale_ = 1, low_ = 0, high_ = 0;
    bool numeric_ = true, each_ = false, unicode_ = true;
};

/// The figure of a cell; NaN for texts and empty cells.
double number(const record::shown::Scalar& value);

struct Tick {
    double value = 0;
    std::string label;
};

/// One axis of a plot: its range and ticks.
struct Axis {
    double low = 0, high = 1;
    bool log = false;
    std::vector<Tick> ticks;

    /// 0 at the low end, 1 at the high one.
    double place(double value) const;
};

/// How an axis is made.
struct AxisKind {
    bool log = false;
    bool from_zero = false;  ///< bars
    std::string unit = {};   ///< its ticks have it, as Plot::x_unit
};

/// An axis over the values, with three ticks at least; a logarithmic one leaves out what is not positive, and is linear
/// where nothing is left. Powers of two keep their own ticks.
Axis make_axis(const std::vector<double>& values, const AxisKind& kind, std::size_t most_ticks);

/// The axes of a plot, their ticks in the language of the words.
Axis x_axis(const record::shown::Plot& plot, const Words& words, std::size_t most_ticks = 9);
Axis y_axis(const record::shown::Plot& plot, const Words& words, std::size_t most_ticks = 7);

/// A plot is drawn as bars where these stand on zero; on a logarithmic axis each is a point.
bool has_bars(const record::shown::Plot& plot);

/// More curves than a reader can tell apart in one plot: each has a small one of its own.
bool has_panels(const record::shown::Plot& plot);

/// A series' name; where the plot's curves rest on different things with what its own does, unless the name says it.
std::string series_label(const record::shown::Plot& plot, std::size_t series, const Words& words);

/// What a plot's caption says, and that curves are flat where they are.
std::string plot_caption(const record::shown::Plot& plot, const Words& words);

/// "1.5", "20 k", "2²⁰" on an axis of powers of two.
std::string tick_label(double value, bool power_of_two = false);
/// With a unit and its prefix: "20 µs", "64 KiB", "1.5 GB/s"; without one as tick_label.
std::string tick_with_unit(double value, const std::string& unit, bool power_of_two);

/// A count's name for a heading: the text "counts.<key>", or the key with blanks.
Text count_text(record::Count count);
std::string count_name(record::Count count, const Words& words);

std::string basis_name(record::Basis basis, const Words& words);
/// The bases of a plot's series, each once: "measured, predicted".
std::string bases_of(const record::shown::Plot& plot, const Words& words);

/// "N^3" as a text shows it: with its exponent above the line. Expressions of a program, where ^ is another operator,
/// have blanks around it or brackets somewhere, and stay.
std::string with_powers(std::string_view text);

/// What a page was made after: texts by their titles, anything else as it stands; "; " between them.
std::string source_titles(const record::shown::Page& page, const Words& words);

/// The text of a key, or `otherwise` where a language file has none.
std::string word(const Words& words, const char* key, const char* otherwise);

/// "figures/banks-strides": what a block's files and anchors are called.
std::string block_name(const record::shown::Page& page, const std::string& id);

/// Letters, digits, '-' and '_' stay; all else becomes '-'.
std::string file_safe(const std::string& text);

/// The date, processor, device and so on: a name and a text each.
std::vector<std::pair<std::string, std::string>> environment_lines(const record::Environment& e, const Words& words);

/// Counts of each line of a listing, by its place in the text; absent lines have none.
struct ListingCounts {
    std::vector<std::string> lines;                  ///< of the text
    std::vector<record::Count> columns;              ///< that have a figure other than zero
    std::vector<std::vector<std::uint64_t>> values;  ///< [line][column]
    std::vector<bool> counted;                       ///< the line has counts
    std::vector<std::uint64_t> most;                 ///< of each column
    std::vector<std::string> stood;  ///< by line: where warps stood (line_stalls); empty: nothing is known of any line
};
ListingCounts listing_counts(const record::shown::Listing& listing, const Words& words = Words::plain());

}  // namespace warpwright::report
