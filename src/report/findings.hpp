// Findings of the checkers as text, and as SARIF 2.1.0 for editors and CI. (JSON: record::findings_json.)
#pragma once

#include <string>
#include <vector>

#include "record/finding.hpp"

namespace warpwright::report {

/// One paragraph a finding, with the source line where it can be read; then a line that sums up. `color`: ANSI colours.
std::string findings_text(const std::vector<record::Finding>& findings, bool color);

/// "3 errors, 1 warning"; "nothing found".
std::string findings_summary(const std::vector<record::Finding>& findings);

std::string findings_sarif(const std::vector<record::Finding>& findings, const std::string& version);

}  // namespace warpwright::report
