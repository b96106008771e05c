// What `run` takes from the users of nvprof and Nsight Compute: their names of metrics, -o, regex:NAME.
#pragma once

#include "cli/options/options.hpp"

namespace warpwright::cli {

/// Every count and what is derived from counts: key, unit, meaning, and its names in Nsight Compute and nvprof.
std::string list_metrics();

/// Our key of a metric by any of its names ("gld_transactions", "smsp__inst_executed.sum"); empty where it is none.
std::string metric_key(const std::string& name);

/// Turns -o FILE, regex:NAME and the names of metrics into what `run` works with. ErrorKind::usage for a file whose
/// ending says nothing, for a name that is no count (on the emulated GPU), and for a word like an option that is none.
Result<void> settle_habits(ProgramOptions& options);

}  // namespace warpwright::cli
