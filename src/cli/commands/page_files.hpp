// Pages of a report as files: what `lab` makes and `report` renders again.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "record/page.hpp"
#include "support/result.hpp"
#include "text/words.hpp"

namespace warpwright::cli {

/// Writes what the options ask for; returns the places, in order. A file that cannot be written is an error, and
/// nothing of it is left.
Result<std::vector<std::string>> write_pages(const record::Report& report, const Words& words,
                                             const PageOptions& options);

/// The language of pages: what was asked for, else that of the locale where there are texts in it, else English.
std::string page_language(const std::string& asked);

/// The languages there are texts in, for the help: "en, fi, ru, zh", with `last` before the last one.
std::string known_languages(const char* last = ", ");

}  // namespace warpwright::cli
