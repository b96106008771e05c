// Warps and lanes that wait for a phase of an mbarrier or of the cluster's barrier, for the scheduler that wakes them.
#pragma once

#include <cstdint>
#include <string>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// Whether a warp that waits for phases may continue: all of it (Status::phase), or some class of its lanes.
bool phases_over(const WarpFrame& frame, bool whole_warp);
/// The next block in which lanes that wait for phases continue, with WarpFrame::picked and ::more; kPickedNone: none
/// may.
std::uint32_t wake_phases(WarpFrame& frame);
/// The phases for which lanes of a blocked block wait, for the message about a deadlock; empty: no phase.
std::string phase_text(ResidentBlock& block, const KernelCode& code, const simt::Details** at);

/// Completes the phase of the cluster's barrier if every thread that has not exited has arrived.
void end_cluster_phase(ClusterState& cluster, std::uint64_t frame_bytes);

}  // namespace warpwright::engine
