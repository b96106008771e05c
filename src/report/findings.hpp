// Findings of the checkers as text, and as SARIF 2.1.0 for editors and CI. (JSON: record::findings_json.)
#pragma once

#include <string>
#include <vector>

#include "record/finding.hpp"
#include "support/source_files.hpp"

namespace warpwright::report {

/// One paragraph a finding, with the source line where it may be shown and can be read; then a line that sums up.
/// `color`: ANSI colours. `may_show`: empty where the whole program is trusted, its host code too.
std::string findings_text(const std::vector<record::Finding>& findings, bool color,
                          const SourceFiles::MayShow& may_show = {});

/// "3 errors, 1 warning"; "nothing found".
std::string findings_summary(const std::vector<record::Finding>& findings);

/// For CI servers: a test for each finding, which fails for an error, and one for each of the `checkers` (a set) that
/// found nothing; `nothing`: why nothing was looked at, which fails too; empty: it was.
std::string findings_junit(const std::vector<record::Finding>& findings, std::uint32_t checkers,
                           const std::string& nothing);
/// A page of Markdown, for the summary of a step or a comment: a table of the findings.
std::string findings_markdown(const std::vector<record::Finding>& findings, const std::string& of,
                              const std::string& nothing);

std::string findings_sarif(const std::vector<record::Finding>& findings, const std::string& version);

}  // namespace warpwright::report
