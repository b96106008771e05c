// A ladder that has run, as pages look at it: problems, the variants of a rung, what one rung changes against another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/page/choices.hpp"
#include "lab/sweep/context.hpp"
#include "lab/sweep/plan.hpp"
#include "ladder/ladder.hpp"
#include "record/page.hpp"

namespace warpwright::lab {

struct LadderRun {
    ladder::Ladder ladder;
    record::RecordSet set;
    arch::DeviceModel model;
    bool real = false;                ///< times are measured; else the emulated device counted and a model predicts
    bool model_fits = true;           ///< there are ceilings to compare with
    std::vector<std::string> repeat;  ///< command lines that give the same figures
    std::vector<std::string> left_out = {};  ///< rungs that a whole report had no room for
};

/// The same on an emulated device at the ladder's first own size, where the device at hand counts nothing; else absent.
Result<std::optional<LadderRun>> counted_run(const Context& context, const std::string& ladder, const Choices& choices);

/// Of a whole report: leaves out the rungs that are beyond what a page may take of work, in the ladder's order, in
/// which those of the texts come first; a rung runs in all of its variants or not at all. Returns the names of those
/// left out.
std::vector<std::string> keep_to_budget(Plan& plan);

/// Runs a ladder (by name or folder) for a page: on the emulated device with counts by line. What `choices` leaves
/// empty is as the ladder's file says.
Result<LadderRun> run_for_page(const Context& context, const std::string& ladder, const Choices& choices);

/// The command line that runs this again.
std::string command_line(const Context& context, std::string_view name, const Choices& choices);

/// A time to compare by: measured, or predicted, or the least that the model allows for what was counted.
struct Seconds {
    double value = 0;
    record::Basis basis = record::Basis::measured;
    bool bound = false;  ///< the least time: no prediction
    bool operator==(const Seconds&) const = default;

    bool like(const Seconds& other) const { return basis == other.basis && bound == other.bound; }
    /// The word by which texts tell them apart: "measured", "predicted" or "bound".
    std::string word() const { return basis == record::Basis::measured ? "measured" : bound ? "bound" : "predicted"; }
};
std::optional<Seconds> seconds_of(const record::Record& record);
/// The word (Seconds::word) for the times of a whole run: "predicted" where any kernel's is.
std::string times_word(const LadderRun& run);
/// False where no block of the kernel fits on a multiprocessor of the model: it cannot be launched there, and has no
/// time.
bool fits_model(const record::Record& record);
/// How many times faster b is than a, where both times are measured, predicted or bounds. One of a kind over one of
/// another says nothing.
std::optional<double> times_faster(const record::Record& a, const record::Record& b);
/// A kernel's own: neither the CPU's nor a library's.
bool is_kernel(const record::Record& record);
/// It ran, and its result is not known to be wrong.
bool is_right(const record::Record& record);

/// Records of one size and one choice of the ladder's own axes, in the ladder's order.
struct ProblemView {
    std::string size;   ///< "N 512"
    std::string axes;   ///< "T int32, OP sum"; empty where the ladder has none
    double extent = 0;  ///< the size as one number, for an axis of a plot
    std::vector<const record::Record*> records;

    std::string text() const { return axes.empty() ? size : size + ", " + axes; }
};
std::vector<ProblemView> problems_of(const LadderRun& run);
/// What `extent` counts: "N", or "M N K" where they differ.
std::string extent_name(const LadderRun& run);

/// What sets a record apart from the rung's others: "TILE 16, UNROLL 4"; empty where the rung has one variant.
std::string variant_of(const LadderRun& run, const record::Record& record);
/// Rung and variant: "tiled (TILE 16)".
std::string label_of(const LadderRun& run, const record::Record& record);
/// An axis' value; absent where the record has no such axis, or it is no number.
std::optional<double> axis_of(const record::Record& record, std::string_view name);

/// True where a is the better one: by time, a bound after every other; where the model gives both the same least time,
/// by what all resources need.
bool is_better(const record::Record& a, const record::Record& b);
/// Of each rung that ran the best variant, in the ladder's order; wrong ones too.
std::vector<const record::Record*> best_variants(const ProblemView& problem);
/// The best kernel of those whose result is right; null where none ran.
const record::Record* best_kernel(const ProblemView& problem);
/// The first kernel that ran.
const record::Record* first_kernel(const ProblemView& problem);
/// The fastest rung on the CPU; the named one if it is there.
const record::Record* cpu_record(const ProblemView& problem, std::string_view rung = {});
/// The record of a rung, in the fastest variant whose axis has this value; null where there is none.
const record::Record* find_record(const ProblemView& problem, std::string_view rung, std::string_view axis = {},
                                  double value = 0);

/// Whether the figures decide for the best rung of a problem. Everything that was to run must have run, and its time
/// must be measured; or predicted, and so much shorter than that of each other rung's right kernels that it tells
/// (lab/page/apart.hpp). A bound is no reason to prefer one kernel to another.
enum class Decision : std::uint8_t { measured, predicted, too_close, incomplete, bounds };
Decision decides(const LadderRun& run, const ProblemView& problem, const record::Record& best);
/// The right kernels of other rungs (`variants`: the other variants of its own) that have a time of the same kind, the
/// fastest first.
std::vector<const record::Record*> rivals(const ProblemView& problem, const record::Record& best, bool variants);

/// FLOP/s or B/s of the problem: which of them speaks of this ladder.
struct Rate {
    double value = 0;
    const char* unit = "FLOP/s";
};
std::optional<Rate> rate_of(const LadderRun& run, const record::Record& record);

/// The rate that bounds the problem on this device, and the share of it that was reached; on the emulated device the
/// share that is reached at best. Absent where the model has no figure.
std::optional<record::Ceiling> ceiling_of(const LadderRun& run, const record::Record& record);

/// A count that differs between two rungs.
struct Change {
    record::Count count = record::Count::instructions;
    std::uint64_t before = 0, after = 0;
};
/// The counts that differ most by their ratio, at most `most`; of counts that move together (requests and their
/// sectors) one.
std::vector<Change> changes(const record::Counts& before, const record::Counts& after, std::size_t most);

}  // namespace warpwright::lab
