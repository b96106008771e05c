// The columns of the terminal table: what each shows of a record, its heading and its weight when width is short.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/metrics.hpp"
#include "record/record.hpp"
#include "report/report.hpp"

namespace warpwright::report {

enum class Style { normal, good, bad, warn, dim, bold };

struct Cell {
    std::string text = "-";  ///< safe to print
    Style style = Style::dim;

    bool missing() const { return text == "-"; }
};

/// Over which heading a column stands: where its figures come from.
enum class Origin { none, counted, model, predicted, measured };

struct Column {
    using Maker = Cell (*)(const record::Record&, const TableOptions&);

    std::string_view key;
    std::string_view heading;
    std::string_view about;
    Origin origin;
    bool left;         ///< aligned to the left
    int weight;        ///< the least is left out first; 0 = only on request
    Maker maker = {};  ///< null: the metric's value
    record::Metric metric = {};

    Cell cell(const record::Record& record, const TableOptions& options) const;
};

/// Those that have a place in the tables, then every further count and derived metric, on request by its key.
std::span<const Column> all_columns();

std::string_view origin_heading(Origin origin);

/// Bytes of the whole lines that the record's device model moves for loads and stores of global memory; 0 where it
/// moves sectors, or is none of ours.
unsigned line_bytes(const record::Record& record);

/// A grid or block without the extents of 1 at its end: "64", "16x16".
std::string extent(const record::Extent& e);

/// A line's counts through the same columns as a record's.
record::Record as_record(const record::LineCounts& line);

}  // namespace warpwright::report
