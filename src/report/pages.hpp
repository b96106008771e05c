// The printers of the laboratory's report (record/page.hpp): one HTML file, Markdown with drawings beside it, drawings
// for a paper, text for a terminal. They read the report, say it in the language of their words (HTML: in each of them)
// and return text; only write_* touch files.
#pragma once

#include <string>
#include <vector>

#include "record/page.hpp"
#include "support/result.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// A file of a folder, its path relative to it.
struct PageFile {
    std::string path, text;
};

/// The whole report as one HTML file that needs nothing beside it and no network.
std::string html(const record::Report& report, const Words& words);

/// "report.md" and one file a page, with its drawings in "figures/".
std::vector<PageFile> markdown(const record::Report& report, const Words& words);

/// Every plot, cell map and timeline: "<page>-<id>.svg".
std::vector<PageFile> svgs(const record::Report& report, const Words& words);

struct TextOptions {
    bool color = false;       ///< ANSI colours; the caller knows of NO_COLOR and terminals
    bool unicode = true;      ///< blocks, rules and µ in UTF-8; false keeps what we draw to ASCII
    std::size_t width = 100;  ///< 0: 100
};

std::string text(const record::Page& page, const Words& words, const TextOptions& options);
std::string text(const record::Report& report, const Words& words, const TextOptions& options);

/// Writes each file whole or not at all, and makes the folders they need.
Result<void> write_files(const std::string& folder, const std::vector<PageFile>& files);

}  // namespace warpwright::report
