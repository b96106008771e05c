// Libraries that were stripped with the static runtime in them: its functions cannot be found, so their kernels cannot
// be run. A package may bring many of them, of which a program calls none; so nothing is said before one of them opens
// the driver library, which a runtime does at the first call that needs a device.
#pragma once

#include <string>

namespace warpwright::takeover {

/// A line on standard error, with our name.
void say(const std::string& text);

void note_stripped(const std::string& file);
/// The code at `caller` opens the driver library: says so once if it is of such a library.
void opens_driver(const void* caller);

}  // namespace warpwright::takeover
