// A page of the laboratory's report: the results of an experiment, as data. Experiments (room lab) fill it; every
// printer (terminal, HTML, Markdown, static SVG) only reads it. A page's texts are of no language (text/message.hpp);
// printers show it as a page of strings, `shown`, whose texts are in the reader's language (page_texts.hpp). `Code` in
// back quotes is their only markup.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "record/record.hpp"
#include "text/message.hpp"

namespace warpwright::record {

/// The origin of a figure; figures of different kinds never share a column or a curve.
enum class Basis {
    counted,    ///< by the emulated GPU, exact
    measured,   ///< timed on a device
    predicted,  ///< by a device model
    computed,   ///< from a rule or formula
    quoted,     ///< from a text or a data sheet
};

/// A cell of a table; monostate: there is no such figure (shown as an empty cell, never as 0).
template <class T>
using ScalarOf = std::variant<std::monostate, std::int64_t, double, T>;

template <class T>
struct ColumnOf {
    T name;
    T unit = {};  ///< "s", "GB/s", "GFLOP/s", "%" (in percent, not a fraction); printers scale "s", "B",
                  ///< "B/s" and "FLOP/s" to a prefix
    std::optional<Basis> basis = {};
    int digits = 3;                      ///< significant digits of a real number
    bool heat = false;                   ///< coloured by its value
    std::optional<double> hottest = {};  ///< the value that has the full colour; without it: the column's largest
};

template <class T>
struct TableOf {
    std::string id;  ///< letters, digits and '-', unique in its page: file names and anchors are made from it
    T title;
    std::vector<ColumnOf<T>> columns;
    std::vector<std::vector<ScalarOf<T>>> rows;
    T caption = {};
};

template <class T>
struct SeriesOf {
    T name;
    std::vector<double> x, y;         ///< NaN: no point
    std::vector<double> spread = {};  ///< half widths, in y's unit; empty: none
    Basis basis = Basis::counted;
};

enum class PlotKind { line, bar, scatter };

template <class T>
struct PlotOf {
    using Kind = PlotKind;
    std::string id;
    T title;
    Kind kind = Kind::line;
    T x_label, y_label;  ///< with their units, but for those that stand with the ticks
    bool x_log = false, y_log = false;
    std::vector<T> categories = {};  ///< of bars: x is an index into them. A logarithmic axis has no zero
                                     ///< from which a bar could stand: there each is a point
    std::vector<SeriesOf<T>> series;
    T caption = {};
    std::string x_unit = {}, y_unit = {};  ///< as Column::unit; the ticks of the axis have it, with a prefix
};

/// A drawn grid of cells: threads of a block, banks, segments, phases of a tile.
template <class T>
struct CellOf {
    T text = {};
    int tone = -1;                                           ///< index into the map's legend; -1: plain
    double heat = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1 instead of a tone
    T hover = {};
};

template <class T>
struct LegendOf {
    int tone = 0;
    T text;
};

template <class T>
struct CellMapOf {
    std::string id;
    T title;
    std::vector<T> column_names = {}, row_names = {};  ///< empty: none are drawn
    std::vector<std::vector<CellOf<T>>> rows = {};
    std::vector<LegendOf<T>> legend = {};
    T caption = {};
    std::string png = {};  ///< a PNG file in base64: drawn in place of the cells, which a terminal shows
};

template <class T>
struct SpanOf {
    double begin = 0, end = 0;
    T label = {};
    int tone = 0;
};

template <class T>
struct LaneOf {
    T name;
    std::vector<SpanOf<T>> spans;
};

template <class T>
struct TimelineOf {
    std::string id;
    T title;
    T unit;  ///< of the spans: "s", "step"
    std::vector<LaneOf<T>> lanes;
    std::vector<LegendOf<T>> legend = {};
    Basis basis = Basis::counted;
    T caption = {};
};

/// A kernel's source with the counts of each line beside it.
template <class T>
struct ListingOf {
    std::string id;
    T title;
    std::string language = "cuda";  ///< "cuda", "opencl", "ptx", "cpp"
    std::string file;               ///< by a name that a reader may know, relative to the project or the user's folder
    std::string text;
    unsigned first_line = 1;
    std::vector<LineCounts> lines = {};  ///< of this file
    std::vector<Count> shown = {};       ///< the counts that are shown beside the lines
    /// Where warps stood: of the whole kernel, and at the lines of this file (Predicted::stalls, Predicted::lines).
    std::map<std::string, double> stalls = {};
    std::vector<PredictedLine> stood = {};
};

enum class ParagraphKind { text, note, warning };

template <class T>
struct ParagraphOf {
    using Kind = ParagraphKind;
    T text;
    Kind kind = Kind::text;
};

template <class T>
using BlockOf = std::variant<ParagraphOf<T>, TableOf<T>, PlotOf<T>, CellMapOf<T>, TimelineOf<T>, ListingOf<T>>;

template <class T>
struct SectionOf {
    T heading;
    std::vector<BlockOf<T>> blocks;
};

/// A question that a course asks about the work, and its answer, which a reader unfolds.
template <class T>
struct QuestionOf {
    T question, answer;
};

template <class T>
struct PageOf {
    std::string id;  ///< the experiment's name: "banks"
    T title;
    T purpose;                              ///< what the reader learns here
    T task;                                 ///< what the experiment does
    std::vector<T> front = {};              ///< lines of a title page; empty: the page has none
    std::vector<std::string> sources = {};  ///< the texts that teach it
    std::vector<SectionOf<T>> sections = {};
    std::vector<T> conclusions = {};  ///< sentences that follow from the figures of this run
    std::vector<T> recommendations = {};
    std::vector<QuestionOf<T>> questions = {};
    std::vector<T> corrections = {};       ///< errors and outdated statements of a text
    std::vector<std::string> repeat = {};  ///< command lines that give the same figures
    std::vector<T> problems = {};          ///< what did not run or was wrong, one line each
    std::vector<Record> records = {};      ///< the records on which the page is based
};

/// The whole laboratory report.
template <class T>
struct ReportOf {
    std::string language = "en";
    T title;
    Environment environment;
    std::vector<PageOf<T>> pages;
    bool complete = true;  ///< false: stopped before its end
};

using Scalar = ScalarOf<Text>;
using Column = ColumnOf<Text>;
using Table = TableOf<Text>;
using Series = SeriesOf<Text>;
using Plot = PlotOf<Text>;
using Cell = CellOf<Text>;
using Legend = LegendOf<Text>;
using CellMap = CellMapOf<Text>;
using Span = SpanOf<Text>;
using Lane = LaneOf<Text>;
using Timeline = TimelineOf<Text>;
using Listing = ListingOf<Text>;
using Paragraph = ParagraphOf<Text>;
using Block = BlockOf<Text>;
using Section = SectionOf<Text>;
using Question = QuestionOf<Text>;
using Page = PageOf<Text>;
using Report = ReportOf<Text>;

/// Pages in one language, as printers read them.
namespace shown {
using Scalar = ScalarOf<std::string>;
using Column = ColumnOf<std::string>;
using Table = TableOf<std::string>;
using Series = SeriesOf<std::string>;
using Plot = PlotOf<std::string>;
using Cell = CellOf<std::string>;
using Legend = LegendOf<std::string>;
using CellMap = CellMapOf<std::string>;
using Span = SpanOf<std::string>;
using Lane = LaneOf<std::string>;
using Timeline = TimelineOf<std::string>;
using Listing = ListingOf<std::string>;
using Paragraph = ParagraphOf<std::string>;
using Block = BlockOf<std::string>;
using Section = SectionOf<std::string>;
using Question = QuestionOf<std::string>;
using Page = PageOf<std::string>;
using Report = ReportOf<std::string>;
}  // namespace shown

}  // namespace warpwright::record
