// What the driver library's stack of contexts is told of cudaSetDevice.
#pragma once

namespace warpwright::cudart {

/// The device that the calling thread has chosen by cudaSetDevice since the driver library has last asked; -1: none.
int& chosen_device();

}  // namespace warpwright::cudart
