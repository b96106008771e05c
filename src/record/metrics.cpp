// Formulas are parsed by the compiler: overloaded operators make them sums, quotients of sums, or one minus such a
// quotient, and a formula of any other form does not compile.
#include "record/metrics.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace warpwright::record {

namespace {

/// Counts added up, times a factor.
struct Sum {
    std::array<Count, 8> of{};
    unsigned size = 0;
    std::uint64_t factor = 1;

    constexpr std::uint64_t of_counts(const Counts& counts) const {
        std::uint64_t out = 0;
        for (unsigned i = 0; i < size; ++i) out += counts[of[i]];
        return factor * out;
    }
};

/// The possible formulas of record/metrics.inc: a sum, a sum over a sum, or 1 minus that. Anything else (a quotient in
/// a sum, sums of unlike factors, too many terms) does not compile.
struct Formula {
    Sum above, below;  ///< `below` is empty in a sum
    bool from_one = false;

    constexpr Formula(Count count) : above{{count}, 1, 1} {}
    constexpr Formula(Sum up, Sum down, bool one) : above(up), below(down), from_one(one) {}

    constexpr bool is_sum() const { return below.size == 0; }
};

constexpr Formula operator+(Formula a, Formula b) {
    if (!a.is_sum() || !b.is_sum() || a.above.factor != b.above.factor) throw "only sums of one factor can be added";
    for (unsigned i = 0; i < b.above.size; ++i) a.above.of.at(a.above.size++) = b.above.of[i];
    return a;
}
constexpr Formula operator*(unsigned factor, Formula f) {
    if (!f.is_sum()) throw "only a sum can be multiplied";
    f.above.factor *= factor;
    return f;
}
constexpr Formula operator/(Formula a, Formula b) {
    if (!a.is_sum() || !b.is_sum()) throw "only sums can be divided";
    return {a.above, b.above, false};
}
constexpr Formula operator-(int one, Formula f) {
    if (one != 1 || f.is_sum() || f.from_one) throw "only 1 minus a quotient is understood";
    return {f.above, f.below, true};
}

// In their order, so that a formula can name those before it.
namespace formulas {
#define WARPWRIGHT_COUNT(key, ...) constexpr Formula key = Count::key;
#define WARPWRIGHT_SYNONYM(key, count, meaning) constexpr Formula key = Count::count;
#define WARPWRIGHT_DERIVED(key, unit, meaning, hardware, nvprof, formula) constexpr Formula key = formula;
#include "record/metrics.inc"
}  // namespace formulas

constexpr const Formula* kFormulas[] = {
#define WARPWRIGHT_DERIVED(key, ...) &formulas::key,
#include "record/metrics.inc"
};

const Formula& formula_of(Derived derived) { return *kFormulas[static_cast<unsigned>(derived)]; }

constexpr MetricInfo kCountInfo[] = {
#define WARPWRIGHT_COUNT(key, unit, meaning, hardware, nvprof) {#key, unit, meaning, hardware, nvprof, ""},
#include "record/metrics.inc"
};
constexpr MetricInfo kDerivedInfo[] = {
#define WARPWRIGHT_DERIVED(key, unit, meaning, hardware, nvprof, formula) \
    {#key, unit, meaning, hardware, nvprof, #formula},
#include "record/metrics.inc"
};
constexpr MetricInfo kHardwareInfo[] = {
#define WARPWRIGHT_HARDWARE(key, name, others, unit, meaning) {#key, unit, meaning, name " " others, "", ""},
#include "record/metrics.inc"
};
constexpr CountName kNames[] = {
#define WARPWRIGHT_COUNT(key, ...) {#key, Count::key, ""},
#define WARPWRIGHT_SYNONYM(key, count, meaning) {#key, Count::count, meaning},
#include "record/metrics.inc"
};

/// Every count once, so that a single one can be given as a list.
constexpr auto kEach = [] {
    std::array<Count, kCounts> out{};
    for (unsigned i = 0; i < kCounts; ++i) out[i] = static_cast<Count>(i);
    return out;
}();

/// The counts of a formula, upper part first.
struct Terms {
    std::array<Count, 16> of{};
    unsigned size = 0;
};
constexpr auto kTerms = [] {
    std::array<Terms, kDerived> out{};
    for (unsigned d = 0; d < kDerived; ++d)
        for (const Sum* part : {&kFormulas[d]->above, &kFormulas[d]->below})
            for (unsigned i = 0; i < part->size; ++i) out[d].of[out[d].size++] = part->of[i];
    return out;
}();

}  // namespace

const MetricInfo& info(Count count) { return kCountInfo[static_cast<unsigned>(count)]; }
const MetricInfo& info(Derived derived) { return kDerivedInfo[static_cast<unsigned>(derived)]; }
const MetricInfo& info(Hardware metric) { return kHardwareInfo[static_cast<unsigned>(metric)]; }

std::string_view hardware_name(Hardware metric) {
    const std::string_view names = info(metric).hardware;
    return names.substr(0, names.find(' '));
}

void KernelCounts::add(const KernelCounts& other) {
    total += other.total, joined += other.joined;
    const auto before = [](const LineCounts& a, const LineCounts& b) {
        return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    };
    for (const auto& line : other.lines) {
        const auto at = std::lower_bound(lines.begin(), lines.end(), line, before);
        if (at != lines.end() && !before(line, *at))
            at->counts += line.counts;
        else
            lines.insert(at, line);
    }
}

std::string_view count_key(Count count) { return info(count).key; }

std::span<const CountName> count_names() { return kNames; }

std::optional<Metric> find_metric(std::string_view key) {
    for (const CountName& name : kNames)
        if (name.key == key) return name.count;
    for (unsigned d = 0; d < kDerived; ++d)
        if (kDerivedInfo[d].key == key) return static_cast<Derived>(d);
    return std::nullopt;
}

std::span<const Count> counts_in(const Metric& metric) {
    if (const Count* count = std::get_if<Count>(&metric)) return {&kEach[static_cast<unsigned>(*count)], 1};
    const Terms& terms = kTerms[static_cast<unsigned>(std::get<Derived>(metric))];
    return {terms.of.data(), terms.size};
}

bool is_sum(Derived derived) { return formula_of(derived).is_sum(); }

std::uint64_t total(const Counts& counts, Derived derived) { return formula_of(derived).above.of_counts(counts); }

std::optional<double> value(const Counts& counts, Derived derived) {
    const Formula& f = formula_of(derived);
    const auto above = static_cast<double>(f.above.of_counts(counts));
    if (f.is_sum()) return above;
    const auto below = static_cast<double>(f.below.of_counts(counts));
    if (below == 0) return std::nullopt;
    return f.from_one ? 1 - above / below : above / below;
}

}  // namespace warpwright::record
