// The run-time compiler's interface, for programs that link libnvrtc: our own library (docs/python-packages.md) or NVIDIA's.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define WW_RTC_ERROR(name, number) name = number,
#include "warpwright/nvrtc_errors.inc"
#undef WW_RTC_ERROR
} nvrtcResult;

typedef struct _nvrtcProgram* nvrtcProgram;

const char* nvrtcGetErrorString(nvrtcResult result);
#define WW_RTC(name, parameters, arguments) nvrtcResult name parameters;
#include "warpwright/nvrtc_api.inc"
#undef WW_RTC

#ifdef __cplusplus
}
#endif
