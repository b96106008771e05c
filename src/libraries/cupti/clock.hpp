// The clock of records: the system's in nanoseconds, or one that the program gives.
#pragma once

#include <cstdint>

namespace warpwright::libraries::cupti::clock {

std::uint64_t now();
/// Null: the system's again.
void set(std::uint64_t (*of_program)());
/// Its ticks in a nanosecond.
double rate();

}  // namespace warpwright::libraries::cupti::clock
