// A report as JSON, and back: what `lab --json` keeps and `report` renders again. docs/records.md has the schema.
#pragma once

#include <string>

#include "record/page.hpp"

namespace warpwright::record {

/// JSON text, indented, one line feed at the end. Numbers that are not finite become null, and come back as NaN.
std::string to_json(const Report& report);

/// Reads what to_json wrote; keys it does not know are passed over. Errors (ErrorKind::input) name the place as
/// "report.pages[2].sections[0]", or line and column where the text is not JSON. `file` is what messages call it.
Result<Report> report_from_json(const std::string& text, const std::string& file);

/// True for JSON text of a report, false for that of a bare record set or anything else.
bool is_report_json(const std::string& text);

}  // namespace warpwright::record
