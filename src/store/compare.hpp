// Two stored runs side by side: which points are faster, slower or equal within the noise of their times, and which
// counts differ. Pure: records in, differences out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "store/run_data.hpp"

namespace warpwright::store {

enum class Verdict {
    same,    ///< times within noise (or no times), counts equal
    faster,  ///< B takes less time than A, by more than the noise
    slower,
    counts,  ///< the times do not differ, but counts do, or how often it was launched
    causes,  ///< neither differs, but what holds it back most
    only_a,  ///< B has no such point
    only_b,
    broken,  ///< B failed or did not verify, A did
    mended,  ///< the other way round
};

inline constexpr std::size_t kVerdicts = static_cast<std::size_t>(Verdict::mended) + 1;

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
    std::uint64_t a_launches = 0, b_launches = 0;  ///< of a program's kernel or copy; 0: of none
    std::string a_cause, b_cause;                  ///< what holds it back most (record/causes.inc); empty: not known
    bool counts_compared = false;                  ///< both have counts
    bool sampled = false;                          ///< those of one are a sample's: they are equal within its error
    std::string remark;                            ///< the reason for `broken`

    bool launches_differ() const { return a_launches != 0 && b_launches != 0 && a_launches != b_launches; }
    bool causes_differ() const { return !a_cause.empty() && !b_cause.empty() && a_cause != b_cause; }
};

/// Two runs as they differ.
struct Comparison {
    std::vector<Difference> differences;
    /// Findings of programs that only one of them has; of both programs it is known what was found, or not.
    std::vector<std::string> new_findings, gone_findings;
    bool findings_compared = false;
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
/// Runs of two programs are compared whatever the programs are called.
Comparison compare(const RunData& a, const RunData& b, const CompareOptions& options = {});

/// {"schema": 1, "differences": [...]}: docs/records.md.
std::string to_json(const Comparison& comparison);

/// The verdicts that `--fail-on` names, and the limit for slower.
struct FailOn {
    bool slower = false, counts = false, causes = false, findings = false, missing = false, broken = false;
    bool any = false;      ///< all of them, as far as the runs have them
    double slower_by = 0;  ///< relative; 0: by any more than the noise

    bool asked() const { return slower || counts || causes || findings || missing || broken; }
};

/// "slower", "slower:5%", "counts", "causes", "findings", "missing", "broken", "any", several joined by commas. Errors:
/// usage.
Result<FailOn> parse_fail_on(const std::string& text);

/// True for a difference that the user does not accept.
bool fails(const Difference& difference, const FailOn& on);

/// What a gate says of a comparison.
struct Gate {
    std::size_t failed = 0;            ///< points
    std::vector<std::string> reasons;  ///< why it fails, a sentence each; empty: it does not
    std::vector<std::string> empty;    ///< those of them that say what had nothing to look at
};
/// A part of the gate that had nothing to look at fails it too: nobody may take that for a clean run.
Gate judge(const Comparison& comparison, const FailOn& on, const std::string& words);

}  // namespace warpwright::store
