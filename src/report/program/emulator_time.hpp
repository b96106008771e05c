// Where the time of this machine went that ran the emulation, for the report of a program.
#pragma once

#include <string>

#include "profile/profile.hpp"
#include "report/program.hpp"
#include "report/program/say.hpp"

namespace warpwright::report {

/// The parts of the time, what takes most of it and why, and the source lines; `wall`: seconds by the clock.
void emulator_time(std::string& out, const Say& say, const profile::EmulatorTime& time, double wall,
                   const SourceText& source);

}  // namespace warpwright::report
