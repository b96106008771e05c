// Lines of several launches are joined by file and line and stay sorted. Counts that a device does not give stay
// absent, instead of being zero.
#include "launch/record.hpp"

#include <utility>

#include "support/demangle.hpp"

namespace warpwright::launch {

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
    record::KernelCounts sum{record.counts.value_or(record::Counts{}), std::move(record.lines)};
    sum.add(*result.counts);
    record.counts = sum.total;
    record.lines = std::move(sum.lines);
}

record::Record record_of(const KernelInfo& kernel, const LaunchConfig& config, const LaunchResult& result) {
    record::Record record;
    describe(record, kernel, config);
    add(record, result);
    return record;
}

}  // namespace warpwright::launch
