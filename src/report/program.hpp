// A whole program's profile as a person reads it: nvprof's tables, then a page for each kernel; and as CSV, Chrome
// trace and HTML.
// Device times are predicted on a device model, or bounds by it, and every heading over them says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "profile/profile.hpp"
#include "report/report.hpp"
#include "text/words.hpp"

namespace warpwright::report {

using profile::KernelUse;
using profile::Profile;

/// Before the key of a predicted figure (record/predicted.inc), where it is chosen beside counts.
inline constexpr std::string_view kPredictedMetric = "predicted_";

/// Which kernels, and what of them.
struct Selection {
    std::string kernel;                ///< a name or part of it, or /a regular expression/; empty = all
    std::vector<std::string> metrics;  ///< counts by key, and predicted figures; empty = the report
    std::size_t most = 12;             ///< kernels reported one by one
};

/// What only a real GPU can say of a kernel: its own counters, of an average launch. Shares are percent of a peak.
struct HardwareSummary {
    double seconds = 0;  ///< of the launches that were counted
    std::optional<double> occupancy, dram_read, dram_written, dram_share, l2_share, l1_share, issue_share;
};

/// What a kernel's launches come to on the model, or came to on a real GPU: for an average launch.
struct KernelSummary {
    const KernelUse* use = nullptr;
    std::string name;  ///< readable
    record::Counts average;
    record::Bound bound;
    record::OccupancyRecord occupancy;
    record::Intensity intensity;
    HardwareSummary hardware;  ///< of a measured profile; then there is no bound and no intensity
};

/// A source line that costs.
struct CostlyLine {
    std::string file;
    unsigned line = 0;
    record::Counts counts;
    double share = 0;  ///< of the kernel's cost
};

/// Where the times of a kernel on the emulated device come from: "simulated"; "bound", the least that they can take; or
/// "simulated; bound" where not all of its launches could be predicted.
std::string method_of(const KernelUse& use);
/// What a heading calls the times of a profile's kernels: "predicted" or "bounds".
std::string times_word(const Profile& profile);
/// " [bound]" behind the name of a kernel that has no predicted time among others that have one; else nothing.
std::string bound_mark(const Profile& profile, const KernelUse& use);

/// An average launch, as work for bounds.
predict::Work work_of(const KernelUse& use);
/// The kernels that the selection takes, those with most predicted time first.
std::vector<KernelSummary> summarise(const Profile& profile, const arch::DeviceModel& model,
                                     const Selection& selection);
/// The lines that cost most, at most `most` of them.
std::vector<CostlyLine> costly_lines(const KernelSummary& kernel, std::size_t most);
/// What holds it back: as predicted, or as its shape alone shows.
std::vector<record::Bottleneck> causes_of(const KernelSummary& kernel);

/// `width`: columns of the lines; 0 for any. What has no room goes on in the next line, and nothing is left out.
std::string program_text(const Profile& profile, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source, const Words& words = Words::plain(), std::size_t width = 0);
std::string program_csv(const Profile& profile, const arch::DeviceModel& model, const Selection& selection);
/// Each kernel and copy in the order in which they began, with these metrics of each launch; the profile must have its
/// events.
std::string program_gpu_trace(const Profile& profile, const Words& words = Words::plain(), std::size_t width = 0,
                              const std::vector<std::string>& metrics = {});
/// JSON in Chrome's trace event format; the profile must have its events.
std::string program_trace(const Profile& profile);
/// What the page shows besides the profile.
struct PageExtras {
    const Profile* base = nullptr;          ///< a run to compare with
    std::vector<record::Finding> findings;  ///< of a check of the same program
    std::vector<arch::DeviceModel> others;  ///< models on which each kernel's bound is shown too
};
/// One file that needs nothing beside it and no network, in every language of the words.
std::string program_html(const Profile& profile, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source, const Words& words = Words::plain(), const PageExtras& extras = {});

}  // namespace warpwright::report
