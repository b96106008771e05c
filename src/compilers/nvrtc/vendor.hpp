// NVIDIA's own NVRTC, where the program has it installed: our library then leaves the compiling to it, and asks it for
// PTX in the place of machine code.
#pragma once

#include "nvrtc.h"

namespace warpwright::compilers {

struct VendorNvrtc {
    const char* (*error_string)(nvrtcResult) = nullptr;
#define WW_RTC(name, parameters, arguments) nvrtcResult(*name) parameters = nullptr;
#include "warpwright/nvrtc_api.inc"
#undef WW_RTC
};

/// nullptr: the settings name none (WARPWRIGHT_NVRTC; set to nothing: none), no wheel of this Python has it, or it
/// cannot be used.
const VendorNvrtc* vendor_nvrtc();

}  // namespace warpwright::compilers
