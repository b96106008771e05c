// The summary of support/host_time with its rows in the order of their time.
#include "cudart/observe/emulator_time.hpp"

#include <algorithm>

#include "support/host_time.hpp"

namespace warpwright::cudart {

std::optional<profile::EmulatorTime> emulator_time() {
    if (!host_time::on()) return std::nullopt;
    const auto summary = host_time::summary();
    profile::EmulatorTime out;
    out.processor_seconds = summary.processor_seconds, out.samples = summary.samples;
    for (std::size_t w = 0; w < host_time::kWorks; ++w)
        if (summary.seconds[w] > 0)
            out.parts.push_back(
                {std::string(host_time::work_key(static_cast<host_time::Work>(w))), summary.seconds[w]});
    std::stable_sort(out.parts.begin(), out.parts.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    for (const auto& l : summary.lines) {
        if (out.lines.size() == profile::EmulatorTime::kMostLines) break;
        out.lines.push_back(
            {l.kernel, l.file, l.line, l.ptx_line, std::string(host_time::work_key(l.work)), l.seconds});
    }
    return out;
}

}  // namespace warpwright::cudart
