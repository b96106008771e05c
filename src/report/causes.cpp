// A cause's sentences are record/bottleneck's; here they become lines with the share in front.
#include "report/causes.hpp"

#include <fmt/format.h>

#include "record/bottleneck_text.hpp"
#include "report/format.hpp"

namespace warpwright::report {

std::vector<CauseLines> cause_lines(const std::vector<record::Bottleneck>& causes, const Words& words) {
    std::vector<CauseLines> out;
    for (const record::Bottleneck& b : record::told(causes)) {
        std::string title = words.render(title_text(b));
        if (const std::string place = words.render(place_text(b)); !place.empty()) title += " (" + safe(place) + ")";
        const std::string share =
            b.share > 0 ? words.figure(fmt::format("{:.0f}", 100 * b.share)) + " % " : std::string();
        out.push_back({share + words.labelled(title, words.render(evidence_text(b))), words.render(fix_text(b))});
    }
    return out;
}

std::string causes_heading(const std::vector<record::Bottleneck>& causes, const Words& words) {
    const bool any = !causes.empty() && causes.front().share > 0;
    return words(any ? "cause.heading" : "cause.heading_alone");
}

}  // namespace warpwright::report
