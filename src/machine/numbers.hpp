// The numbers of a trace's sectors, made independent of where memory lies.
#pragma once

#include "machine/trace.hpp"

namespace warpwright::machine {

/// Numbers the sectors of the sample anew: one allocation after the other, in the order in which the sample first
/// touches them, each at its place within a line. What follows from these numbers (sets of caches, slices of the second
/// level) is then the same wherever the program's buffers lie. Areas of which nothing is touched are left out.
void number_by_use(LaunchTrace& trace);

}  // namespace warpwright::machine
