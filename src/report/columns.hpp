// The columns of the terminal table: what each shows of a record, its heading and its weight when width is short.
#pragma once

#include <span>
#include <string>
#include <string_view>

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
    std::string_view key;
    std::string_view heading;
    std::string_view about;
    Origin origin;
    bool left;   ///< aligned to the left
    int weight;  ///< the least is left out first; 0 = only on request
    Cell (*cell)(const record::Record&, const TableOptions&);
};

std::span<const Column> all_columns();

std::string_view origin_heading(Origin origin);

/// A line's counts through the same columns as a record's.
record::Record as_record(const record::LineCounts& line);

}  // namespace warpwright::report
