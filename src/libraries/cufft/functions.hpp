// The functions behind the entry points.
#pragma once

#include <cufft.h>

namespace warpwright::libraries::fft_impl {

#define WW_CUFFT(name, parameters, arguments) cufftResult name parameters;
#include "warpwright/cufft_api.inc"
#undef WW_CUFFT

}  // namespace warpwright::libraries::fft_impl
