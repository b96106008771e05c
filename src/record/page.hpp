// A page of the laboratory's report: the results of an experiment, as data. Experiments (room lab) fill it; every
// printer (terminal, HTML, Markdown, static SVG) only reads it. Texts are ready to be shown, in the report's language
// or in several (page_texts.hpp); `code` in back quotes is their only markup.
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
using Scalar = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Column {
    std::string name;
    std::string unit = {};  ///< "s", "GB/s", "GFLOP/s", "%" (in percent, not a fraction); printers scale "s", "B",
                            ///< "B/s" and "FLOP/s" to a prefix
    std::optional<Basis> basis = {};
    int digits = 3;     ///< significant digits of a real number
    bool heat = false;  ///< coloured by its value
};

struct Table {
    std::string id;  ///< letters, digits and '-', unique in its page: file names and anchors are made from it
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Scalar>> rows;
    std::string caption = {};
};

struct Series {
    std::string name;
    std::vector<double> x, y;         ///< NaN: no point
    std::vector<double> spread = {};  ///< half widths, in y's unit; empty: none
    Basis basis = Basis::counted;
};

struct Plot {
    enum class Kind { line, bar, scatter };
    std::string id;
    std::string title;
    Kind kind = Kind::line;
    std::string x_label, y_label;  ///< with their units, but for those that stand with the ticks
    bool x_log = false, y_log = false;
    std::vector<std::string> categories = {};  ///< of bars: x is an index into them. A logarithmic axis has no zero
                                               ///< from which a bar could stand: there each is a point
    std::vector<Series> series;
    std::string caption = {};
    std::string x_unit = {}, y_unit = {};  ///< as Column::unit; the ticks of the axis have it, with a prefix
};

/// A drawn grid of cells: threads of a block, banks, segments, phases of a tile.
struct Cell {
    std::string text = {};
    int tone = -1;                                           ///< index into the map's legend; -1: plain
    double heat = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1 instead of a tone
    std::string hover = {};
};

struct Legend {
    int tone = 0;
    std::string text;
};

struct CellMap {
    std::string id;
    std::string title;
    std::vector<std::string> column_names = {}, row_names = {};  ///< empty: none are drawn
    std::vector<std::vector<Cell>> rows = {};
    std::vector<Legend> legend = {};
    std::string caption = {};
    std::string png = {};  ///< a PNG file in base64: drawn in place of the cells, which a terminal shows
};

struct Span {
    double begin = 0, end = 0;
    std::string label = {};
    int tone = 0;
};

struct Lane {
    std::string name;
    std::vector<Span> spans;
};

struct Timeline {
    std::string id;
    std::string title;
    std::string unit;  ///< of the spans: "s", "step"
    std::vector<Lane> lanes;
    std::vector<Legend> legend = {};
    Basis basis = Basis::counted;
    std::string caption = {};
};

/// A kernel's source with the counts of each line beside it.
struct Listing {
    std::string id;
    std::string title;
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

struct Paragraph {
    enum class Kind { text, note, warning };
    std::string text;
    Kind kind = Kind::text;
};

using Block = std::variant<Paragraph, Table, Plot, CellMap, Timeline, Listing>;

struct Section {
    std::string heading;
    std::vector<Block> blocks;
};

/// A question that a course asks about the work, and its answer, which a reader unfolds.
struct Question {
    std::string question, answer;
};

struct Page {
    std::string id;  ///< the experiment's name: "banks"
    std::string title;
    std::string purpose;                    ///< what the reader learns here
    std::string task;                       ///< what the experiment does
    std::vector<std::string> front = {};    ///< lines of a title page; empty: the page has none
    std::vector<std::string> sources = {};  ///< the texts that teach it
    std::vector<Section> sections = {};
    std::vector<std::string> conclusions = {};  ///< sentences that follow from the figures of this run
    std::vector<std::string> recommendations = {};
    std::vector<Question> questions = {};
    std::vector<std::string> corrections = {};  ///< errors and outdated statements of a text
    std::vector<std::string> repeat = {};       ///< command lines that give the same figures
    std::vector<std::string> problems = {};     ///< what did not run or was wrong, one line each
    std::vector<Record> records = {};           ///< the records on which the page is based
};

/// The whole laboratory report. Its texts may hold the wordings of several languages (record/page_texts.hpp).
struct Report {
    std::string language = "en";
    std::string title;
    Environment environment;
    std::vector<Page> pages;
    bool complete = true;  ///< false: stopped before its end
};

}  // namespace warpwright::record
