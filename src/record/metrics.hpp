// The meanings of counts, the metrics derived from them, and those that only a real GPU reports: record/metrics.inc as
// tables, for printers, selections and explanations. Formulas are evaluated only here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "record/counts.hpp"

namespace warpwright::record {

/// A row of record/metrics.inc.
struct MetricInfo {
    std::string_view key;
    std::string_view unit;     ///< "requests", "bytes", "share" (of 1), ...
    std::string_view meaning;  ///< a sentence
    /// The counters of Nsight Compute whose sum it is, separated by blanks; empty: none. For a metric that only a real
    /// GPU reports: its names, of which the first that a chip knows is used.
    std::string_view hardware;
    std::string_view nvprof;   ///< the nearest name in nvprof; empty: none is known
    std::string_view formula;  ///< the formula from which it is derived, as written; empty: it is counted
};

/// Not stored: a sum of counts, or one sum over another.
enum class Derived : unsigned {
#define WARPWRIGHT_DERIVED(key, ...) key,
#include "record/metrics.inc"
    size_
};
inline constexpr unsigned kDerived = static_cast<unsigned>(Derived::size_);

/// Metrics that only a real GPU's own counters report.
enum class Hardware : unsigned {
#define WARPWRIGHT_HARDWARE(key, ...) key,
#include "record/metrics.inc"
    size_
};
inline constexpr unsigned kHardware = static_cast<unsigned>(Hardware::size_);

const MetricInfo& info(Count count);
const MetricInfo& info(Derived derived);
const MetricInfo& info(Hardware metric);
/// Its name on chips that have the newest counters: the key in a profile's `metrics`.
std::string_view hardware_name(Hardware metric);

/// A key under which outputs show a count; a synonym follows the count's own key.
struct CountName {
    std::string_view key;
    Count count;
    std::string_view synonym_meaning;  ///< empty: the count's own key
};
/// All of them, in the order of outputs.
std::span<const CountName> count_names();

using Metric = std::variant<Count, Derived>;
/// By key; the synonyms of counts are known too.
std::optional<Metric> find_metric(std::string_view key);
/// The counts of which it is made; for a count: that one.
std::span<const Count> counts_in(const Metric& metric);

/// True for a sum, which is a whole number and is always known; false for a quotient.
bool is_sum(Derived derived);
/// The value of a sum. For a quotient: its numerator.
std::uint64_t total(const Counts& counts, Derived derived);
/// Absent if the divisor is zero.
std::optional<double> value(const Counts& counts, Derived derived);

}  // namespace warpwright::record
