// Whether two launches did the same kind of work: launches of one kernel whose figures differ are told apart.
#pragma once

#include "record/counts.hpp"

namespace warpwright::record {

/// How many kinds of launches of one kernel and shape are told apart at most.
inline constexpr unsigned kMostKinds = 6;

/// Whether they have the same requests of each kind, with nearly (a tenth) the same sectors, wavefronts and lanes for
/// each. How much they did may differ. Sums over several launches may be given.
bool alike(const Counts& a, const Counts& b);

}  // namespace warpwright::record
