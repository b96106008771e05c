// What a model of time says of a launch, or of several launches: how long they take, and of what that is made. The
// figures stand once, in record/predicted.inc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/bottleneck.hpp"

namespace warpwright::record {

/// Where warps stood at one source line: its part of Predicted::stalls.
struct PredictedLine {
    std::string file;                           ///< empty for instructions that belong to no line
    unsigned line = 0;                          ///< 0: none
    std::map<std::string, double> stalls = {};  ///< warp cycles at this line, per issue of the whole launch
    bool operator==(const PredictedLine&) const = default;
};

/// A time that a model predicts; always shown as such. A figure that the method does not have is absent.
struct Predicted {
    double seconds = 0;
    /// kSimulated, or what else gave the time ("bound with the tail of the last blocks ...": docs/tune.md).
    std::string method;
#define WARPWRIGHT_FIGURE(key, ...) std::optional<double> key = {};
#include "record/predicted.inc"
    std::map<std::string, double> peaks = {};   ///< by unit ("DRAM", "issue", "fp32"): its use, over its peak rate
    std::map<std::string, double> stalls = {};  ///< by Nsight Compute's name of the warp state: warp cycles per issue
    /// What holds it back, the largest share first. In JSON it stands beside `predicted`.
    std::vector<Bottleneck> causes = {};
    std::vector<PredictedLine> lines = {};  ///< with --per-line: the stalls by source line, each line once
    std::uint64_t launches = 1;             ///< of which it speaks: the sum of a rung's, the mean of a program's
    std::uint64_t simulated = 0;  ///< of these; times of the others were scaled from them by the bound (docs/timing.md)
    /// Relative error of such predictions in the median, as the model was compared with measured times; absent where
    /// it was compared with none.
    std::optional<double> error = {};
    /// What binds such launches: those whose measured times gave the interval from `seconds_low` to `seconds_high`.
    std::string error_class = {};
    std::string outside = {};  ///< why it is outside of what the model was compared with; empty: it is not
    bool operator==(const Predicted&) const = default;

    static constexpr const char* kSimulated = "simulated";

    /// That line's; null where it has none.
    const PredictedLine* line(std::string_view file, unsigned line) const;

    /// Both, one after the other.
    void add(const Predicted& more);
    /// The mean launch of both.
    void average(const Predicted& more);
};

/// A row of record/predicted.inc.
struct FigureInfo {
    std::string_view key, unit, heading, meaning, hardware;
    std::optional<double> Predicted::* value;
};
std::span<const FigureInfo> figures();

}  // namespace warpwright::record
