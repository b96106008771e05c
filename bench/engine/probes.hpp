// Figures beside the table: what a barrier costs, start to first result, compilation, memory, growth with blocks.
#pragma once

#include "backend.hpp"
#include "report.hpp"

namespace warpwright::bench {

/// Measures each in worker processes of its own and adds it to the report with its limit.
void add_probes(Report& report, const BackendOptions& options);

}  // namespace warpwright::bench
