// What the warps of one multiprocessor did: as a page with a picture, as JSON, and as lines of text.
#pragma once

#include <string>
#include <vector>

#include "record/warp_timeline.hpp"
#include "report/report.hpp"

namespace warpwright::report {

/// One HTML file that needs nothing else, in every language of the words. `source` gives the lines of the kernel's
/// source.
std::string warp_page(const record::WarpTimeline& timeline, const SourceText& source,
                      const Words& words = Words::plain());

/// The same as JSON (docs/timing.md has its keys).
std::string warp_json(const record::WarpTimeline& timeline);

/// Where warps stood, by source line: the `most` lines with the most cycles, each with its share and its largest
/// states.
std::vector<std::string> warp_lines(const record::WarpTimeline& timeline, std::size_t most, const SourceText& source,
                                    const Words& words = Words::plain());

}  // namespace warpwright::report
