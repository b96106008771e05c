// Lines of several launches are joined by file and line and stay sorted. Counts that a device does not give stay
// absent, instead of being zero.
#include "launch/record.hpp"

#include <algorithm>
#include <tuple>

#include "support/demangle.hpp"

namespace warpwright::launch {
namespace {

void add_lines(std::vector<record::LineCounts>& to, const std::vector<record::LineCounts>& from) {
    if (to.empty()) {
        to = from;
        return;
    }
    for (const auto& line : from) {
        auto same = [&](const record::LineCounts& l) { return l.file == line.file && l.line == line.line; };
        if (auto it = std::find_if(to.begin(), to.end(), same); it != to.end())
            it->counts += line.counts;
        else
            to.push_back(line);
    }
    std::sort(to.begin(), to.end(),
              [](const auto& a, const auto& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
}

}  // namespace

void describe(record::Record& record, const KernelInfo& kernel, const LaunchConfig& config) {
    record.kernel = demangle(kernel.name);
    record.grid = config.grid;
    record.block = config.block;
}

void add(record::Record& record, const LaunchResult& result) {
    if (!result.device_seconds) {
        record.emulation_s = record.emulation_s.value_or(0) + result.host_seconds;
        record.compile_s = record.compile_s.value_or(0) + result.compile_seconds;
        if (result.quick_code) record.host_code = "quick";
    }
    if (!result.counts) return;
    if (!record.counts) record.counts.emplace();
    *record.counts += result.counts->total;
    add_lines(record.lines, result.counts->lines);
}

record::Record record_of(const KernelInfo& kernel, const LaunchConfig& config, const LaunchResult& result) {
    record::Record record;
    describe(record, kernel, config);
    add(record, result);
    return record;
}

}  // namespace warpwright::launch
