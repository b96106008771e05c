// The texts of what holds a launch back, for printers: keys of data/text/<language>/causes.toml with their figures.
#pragma once

#include "record/bottleneck.hpp"
#include "text/message.hpp"

namespace warpwright::record {

/// A few words: "loads that are not coalesced".
Text title_text(const Bottleneck& b);
/// What was seen: "32 sectors per load request where 4 are needed".
Text evidence_text(const Bottleneck& b);
/// What to change.
Text fix_text(const Bottleneck& b);
/// "kernel.cu:12, array tile"; empty where no place is known. Without the folders of the file.
Text place_text(const Bottleneck& b);

/// Those that are worth telling: of several launches together some have become small. The first one at least.
std::vector<Bottleneck> told(const std::vector<Bottleneck>& causes);

}  // namespace warpwright::record
