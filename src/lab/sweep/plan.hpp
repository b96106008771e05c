// What of a ladder runs, in which order: one step for each rung, variant and size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/sweep/choices.hpp"
#include "ladder/ladder.hpp"

namespace warpwright::lab {

/// One rung in one variant at one size.
struct Step {
    const ladder::Rung* rung;  ///< of the plan's ladder
    ladder::Variant variant;
    Size size;
    /// Why it cannot run: a value of an axis that others of the chosen rungs take, and this one does not.
    std::optional<Error> refused = std::nullopt;
    /// Steps of one problem (size and the ladder's own axes) have one number and stand together.
    std::size_t problem = 0;
};

struct Plan {
    std::shared_ptr<const ladder::Ladder> ladder;
    std::vector<Step> steps;
};

/// The steps that these words choose: by size, then by the ladder's axes, then rungs in the ladder's order. Empty lists
/// choose what the ladder's file runs by itself: all rungs, its usual axis values, its default sizes. ErrorKind::usage
/// for what the ladder does not have. An axis may also be one of the ladder's sizes by its name ("N"): its values then
/// take the place of that dimension in each size.
Result<Plan> make_plan(ladder::Ladder ladder, const std::vector<std::string>& rungs, const Axes& axes,
                       const std::vector<Size>& sizes);

}  // namespace warpwright::lab
