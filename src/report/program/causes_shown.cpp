// The lines that cost most with their advice, and what would help the kernel as a whole.
#include "report/program/causes_shown.hpp"

#include "report/prediction.hpp"

namespace warpwright::report {

std::vector<ShownCause> causes_shown(const KernelSummary& kernel) {
    std::vector<ShownCause> out;
    if (!kernel.use->counted) return out;
    if (const Text advice = kernel_advice(kernel); !advice.empty())
        out.push_back({message("profile_page.whole_kernel"), {}, "", 0, {}, advice});
    if (mostly_start(kernel)) return out;
    constexpr std::size_t kMost = 5;
    for (const CostlyLine& l : costly_lines(kernel, kMost)) {
        if (l.advice.empty()) continue;
        const auto slash = l.file.rfind('/');
        Text stood;
        if (kernel.use->predicted)
            if (stood = line_stalls_text(*kernel.use->predicted, l.file, l.line); !stood.empty())
                stood = message("prediction.stood_here") + " " + stood;
        out.push_back({l.file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" + std::to_string(l.line), l.share,
                       l.file, l.line, stood, l.advice});
    }
    return out;
}

}  // namespace warpwright::report
