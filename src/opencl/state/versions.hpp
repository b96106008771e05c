// What the platform and its devices say they are, and their extensions.
#pragma once

#include <string>
#include <vector>

#include "opencl/state/cl.hpp"

namespace warpwright::opencl {

/// As CL_MAKE_VERSION makes it.
constexpr cl_uint version(cl_uint major, cl_uint minor) { return major << 22 | minor << 12; }

inline constexpr const char* kVersion = "OpenCL 3.0 Warpwright " WARPWRIGHT_VERSION;
inline constexpr cl_uint kNumericVersion = version(3, 0);
/// Bits: parts of buffers begin at multiples of it.
inline constexpr cl_uint kAddressAlignment = 4096;

/// Their names, with blanks between.
std::string extensions();
std::vector<cl_name_version> extension_versions();
/// OpenCL C 1.0 to 1.2 and 3.0.
std::vector<cl_name_version> language_versions();
/// Optional features of OpenCL C 3.0.
std::vector<cl_name_version> language_features();

}  // namespace warpwright::opencl
