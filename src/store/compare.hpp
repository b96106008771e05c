// Two stored runs side by side: which points are faster, slower or equal within the noise of their times, and which
// counts differ. Pure: records in, differences out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace warpwright::store {

enum class Verdict {
    same,    ///< times within noise (or no times), counts equal
    faster,  ///< B takes less time than A, by more than the noise
    slower,
    counts,  ///< the times do not differ, but counts do
    only_a,  ///< B has no such point
    only_b,
    broken,  ///< B failed or did not verify, A did
    mended,  ///< the other way round
};

/// The verdict in a word: "same", "faster", ...
std::string_view verdict_name(Verdict verdict);

struct CountDifference {
    record::Count count;
    std::uint64_t a = 0, b = 0;
    bool operator==(const CountDifference&) const = default;
};

struct Difference {
    std::string experiment, name;  ///< rung or kernel
    std::vector<record::Axis> axes;
    std::string device;  ///< "emulated", "cuda", "cpu": the number of a device does not matter
    Verdict verdict = Verdict::same;
    std::optional<double> a_s, b_s;  ///< medians, or predicted where neither was measured, or bounds
    bool predicted = false;          ///< a_s and b_s are a model's
    bool bound = false;              ///< and they are bounds
    std::optional<double> ratio;     ///< a_s / b_s: above 1, B is faster
    double noise = 0;                ///< a relative change below this is not significant
    std::vector<CountDifference> counts;
    std::string remark;  ///< the reason for `broken`
};

struct CompareOptions {
    std::vector<std::string> experiments, names;  ///< patterns with * and ?; empty: all
    std::vector<record::Axis> axes;               ///< only points with these values (as text)
    double least = 0;  ///< a relative change of time below this is taken for none, whatever the noise
};

/// Points are matched by experiment, rung (or kernel, or library), axes and kind of device, in A's order, B's own last.
/// Times differ when the medians are further apart than three times the larger spread (half the interquartile range
/// over the median) of either, and than `least`.
std::vector<Difference> compare(const record::RecordSet& a, const record::RecordSet& b,
                                const CompareOptions& options = {});

/// {"schema": 1, "differences": [...]}: docs/records.md.
std::string to_json(const std::vector<Difference>& differences);

/// The verdicts that `--fail-on` names, and the limit for slower.
struct FailOn {
    bool slower = false, counts = false, missing = false, broken = false;
    double slower_by = 0;  ///< relative; 0: by any more than the noise

    bool asked() const { return slower || counts || missing || broken; }
};

/// "slower", "slower:5%", "counts", "missing", "broken", "any", several joined by commas. Errors: usage.
Result<FailOn> parse_fail_on(const std::string& text);

/// True for a difference that the user does not accept.
bool fails(const Difference& difference, const FailOn& on);

}  // namespace warpwright::store
