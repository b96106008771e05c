// What exchanges between devices take on the modelled links, in seconds: kernels of a library make them, so that they
// have the rate of kernels' accesses, where the model has that.
#pragma once

namespace warpwright::cudart::exchange_times {

/// All ranks have the sum of all: by a ring, 2 (ranks - 1) steps with a part each (arch/links.hpp).
double sum(unsigned ranks, double bytes);
/// All ranks have what each gives: ranks - 1 steps.
double gather(unsigned ranks, double bytes_each);
/// Along the ring from one rank to all, or from all to one: piece by piece.
double pass(unsigned ranks, double bytes);
/// From one to another.
double send(double bytes);
/// The part of each of these that the library's kernel takes before and after: exchanges of a group share one.
double kernel();

}  // namespace warpwright::cudart::exchange_times
