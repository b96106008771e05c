// What the model decided; where it decided nothing (no simulation, a real GPU), the lines that cost most with their
// advice, and what would help the kernel as a whole.
#include "report/program/causes_shown.hpp"

#include "record/bottleneck_text.hpp"
#include "report/format.hpp"
#include "report/prediction.hpp"

namespace warpwright::report {

std::vector<ShownCause> causes_shown(const std::vector<record::Bottleneck>& causes) {
    std::vector<ShownCause> out;
    for (const record::Bottleneck& b : causes) {
        ShownCause c{record::title_text(b), {}, b.file, b.line, record::evidence_text(b), record::fix_text(b)};
        if (b.share > 0) c.share = b.share;
        if (!b.variable.empty())
            c.evidence = message("cause.variable", {{"name", Text(safe(b.variable))}}) + ": " + c.evidence;
        out.push_back(std::move(c));
    }
    return out;
}

/// By counts alone.
static std::vector<ShownCause> costly(const KernelSummary& kernel) {
    std::vector<ShownCause> out;
    if (const Text advice = kernel_advice(kernel); !advice.empty())
        out.push_back({message("profile_page.whole_kernel"), {}, "", 0, {}, advice});
    if (mostly_start(kernel)) return out;
    constexpr std::size_t kMost = 5;
    for (const CostlyLine& l : costly_lines(kernel, kMost)) {
        if (l.advice.empty()) continue;
        Text stood;
        if (kernel.use->predicted)
            if (stood = line_stalls_text(*kernel.use->predicted, l.file, l.line); !stood.empty())
                stood = message("prediction.stood_here") + " " + stood;
        const std::string place = l.file.substr(l.file.rfind('/') + 1) + ":" + std::to_string(l.line);
        out.push_back({message("profile_page.costly_line", {{"place", Text(place)}, {"x", Figure{percent(l.share)}}}),
                       {},
                       l.file,
                       l.line,
                       stood,
                       l.advice});
    }
    return out;
}

std::vector<ShownCause> causes_shown(const KernelSummary& kernel) {
    if (!kernel.use->counted) return {};
    if (kernel.use->predicted && !kernel.use->predicted->causes.empty())
        return causes_shown(kernel.use->predicted->causes);
    return costly(kernel);
}

}  // namespace warpwright::report
