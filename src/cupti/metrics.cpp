// Every count whose counters are asked for brings all counters that add up to it, so that none is half of its value.
// Unknown names are passed to the hardware as they are.
#include "cupti/metrics.hpp"

#include <algorithm>

#include "record/metrics.hpp"

namespace warpwright::cupti {
namespace {

using record::Count;

/// Splits at blanks.
std::vector<std::string> split(std::string_view names) {
    std::vector<std::string> out;
    while (!names.empty()) {
        const auto end = std::min(names.find(' '), names.size());
        if (end > 0) out.emplace_back(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return out;
}

Metric of_hardware(record::Hardware metric) {
    return {std::string(hardware_name(metric)), split(info(metric).hardware), {}};
}

/// Every counter of record/metrics.inc once, each with the counts that it adds to. The duration goes first.
std::vector<Metric> all() {
    std::vector<Metric> out{of_hardware(record::Hardware::duration)};
    for (unsigned k = 0; k < record::kCounts; ++k) {
        const auto count = static_cast<Count>(k);
        for (const std::string& name : split(record::info(count).hardware)) {
            auto at = std::find_if(out.begin(), out.end(), [&](const Metric& m) { return m.name == name; });
            if (at == out.end()) at = out.insert(out.end(), Metric{name, {name}, {}});
            at->counts.push_back(count);
        }
    }
    for (unsigned k = 1; k < record::kHardware; ++k) out.push_back(of_hardware(static_cast<record::Hardware>(k)));
    return out;
}

}  // namespace

std::vector<Metric> metrics_for(const std::vector<std::string>& wanted) {
    auto known = all();
    if (wanted.empty()) return known;
    std::vector<Metric> out{known.front()};
    const auto has = [&](const std::string& name) {
        return std::any_of(out.begin(), out.end(), [&](const Metric& m) { return m.name == name; });
    };
    for (const auto& word : wanted) {
        const auto ours = record::find_metric(word);
        if (!ours) {
            if (!has(word)) out.push_back({word, {word}, {}});
            continue;
        }
        // A derived metric needs all its counts, and a count that is the sum of several counters (atomics with and
        // without a result) needs all of them.
        for (const Count count : record::counts_in(*ours))
            for (const auto& m : known)
                if (std::find(m.counts.begin(), m.counts.end(), count) != m.counts.end() && !has(m.name))
                    out.push_back(m);
    }
    return out;
}

}  // namespace warpwright::cupti
