// The printers of records: terminal table, per-line table, JSON and CSV. They read records and return text; they
// know no device, write to no stream and decide nothing about what was measured.
// Counted, predicted and measured figures never share a column.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "support/result.hpp"
#include "text/words.hpp"

namespace warpwright::report {

struct TableOptions {
    bool color = false;   ///< ANSI colours; the caller knows of NO_COLOR and terminals
    bool unicode = true;  ///< rules and µ in UTF-8; false keeps to ASCII (text from records excepted)
    /// Columns; 0 = no limit. A table that is wider is split in two, one for the counts and one for bounds and times;
    /// then the columns of least weight are left out, and named.
    std::size_t width = 100;
    std::vector<std::string> columns =
        {};                        ///< these and no others, in this order (see column_names); empty = those that apply
    bool exact = true;             ///< whole counts ("1,234,567"); otherwise three digits ("1.23 M")
    bool explain = true;           ///< below the table, each rung's sentences, errors and what bounds it
    Words words = Words::plain();  ///< of one language, in which the table is
};

/// The tables of a record set, one for each experiment, with what each rung changes and why below.
std::string table(const record::RecordSet& set, const TableOptions& options = {});

/// A record in one line, for a reader who waits: name, axes, whether the result is right, and the measured or the
/// predicted time, else the least that the model allows. "naive   N 512   right   at least 32.1 µs, bound by
/// load/store". In a terminal of `width` columns (0: any) the bound beside a prediction is left out where it does not
/// fit, and what then is wider is cut.
std::string run_line(const record::Record& record, const Words& words = Words::plain(), bool unicode = true,
                     std::size_t width = 0);

/// Every column that TableOptions::columns may name, with a line on what it shows.
std::vector<std::pair<std::string, std::string>> column_names();

/// ErrorKind::usage, naming the known columns, when one of the names is not a column.
Result<void> check_columns(const std::vector<std::string>& columns);

/// The text of a source line, or nothing where it is not at hand.
using SourceText = std::function<std::optional<std::string>(const std::string& file, unsigned line)>;

/// The counts of each source line of each record that has them, one table a record.
std::string line_table(const record::RecordSet& set, const TableOptions& options = {}, const SourceText& source = {});

/// JSON of schema 1 (docs/records.md).
std::string json(const record::RecordSet& set);

/// CSV as RFC 4180 has it: a header, one row a record, CR LF; all axes, all counts, times in seconds. A missing value
/// is an empty field. With `per_line`, one row for each source line instead of each record, with `file` and `line`.
std::string csv(const record::RecordSet& set, bool per_line = false);

}  // namespace warpwright::report
