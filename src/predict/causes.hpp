// What holds a launch back, and what mending each would save: docs/causes.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "record/bottleneck.hpp"
#include "record/predicted.hpp"
#include "record/record.hpp"

namespace warpwright::predict {

/// A line of a file, counted from 1; nothing where it is not known or may not be shown.
using SourceLine = std::function<std::optional<std::string>(const std::string& file, unsigned line)>;

/// Decides by asking the model of time again with the launch altered, for what its sample shows signs of. The largest
/// share comes first; never empty where the launch kept a trace, for then near_the_limit stands there.
/// `source`: lines of source that may be shown, from which arrays have their names; may be empty.
std::vector<record::Bottleneck> causes_of(const Work& work, const arch::DeviceModel& model,
                                          const record::Predicted& predicted, const SourceLine& source = {});

/// What a launch's shape alone shows, without shares of a time: for launches that have no predicted one.
std::vector<record::Bottleneck> causes_of_shape(const record::Extent& grid, const record::Extent& block,
                                                const record::OccupancyRecord& occupancy);

}  // namespace warpwright::predict
