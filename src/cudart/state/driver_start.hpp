// Whether the driver has been initialised, once for both libraries: by cuInit, or by the runtime library, whose
// functions about devices call it. A program may ask the runtime how many devices there are and go on with the driver.
#pragma once

namespace warpwright::cudart {

/// Without a device nothing is initialised, as cuInit fails then.
void start_driver();
bool driver_started();

}  // namespace warpwright::cudart
