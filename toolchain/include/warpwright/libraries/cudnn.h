// cuDNN's functions of single layers, for programs that link it: our own library of that name (docs/libraries.md) or NVIDIA's.
#pragma once
#include "warpwright/cudnn_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WW_CUDNN(name, parameters, call) cudnnStatus_t name parameters;
#include "warpwright/cudnn_api.inc"
#undef WW_CUDNN
size_t cudnnGetVersion(void);
size_t cudnnGetCudartVersion(void);
size_t cudnnGetMaxDeviceVersion(void);
const char* cudnnGetErrorString(cudnnStatus_t status);
void cudnnGetLastErrorString(char* message, size_t size);
#ifdef __cplusplus
}
#endif
