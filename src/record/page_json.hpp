// A report as JSON, and back: `lab --json` writes it and `report` prints it again. docs/records.md has the schema.
#pragma once

#include <string>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::record {

/// JSON text, indented, one line feed at the end. Numbers that are not finite become null, and come back as NaN.
/// The texts are in the report's language; beside them are their translations into the others that the words have, or
/// that the report had in its own file.
std::string to_json(const Report& report, const Words& words);

/// Reads the output of to_json; unknown keys are ignored. Errors (ErrorKind::input) name the place as
/// "report.pages[2].sections[0]", or line and column if the text is not JSON. `file` is its name in messages.
Result<Report> report_from_json(const std::string& text, const std::string& file);

/// True for JSON text of a report, false for that of a bare record set or anything else.
bool is_report_json(const std::string& text);

}  // namespace warpwright::record
