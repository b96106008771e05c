// Parts of a device (green contexts): the types, and the functions, which the driver library has by name only: they give
// CUDA_ERROR_NOT_SUPPORTED. Libraries name them although they seldom call them (libcu++ asks for their addresses).
#pragma once

#include "warpwright/driver_enums.h"

typedef struct CUdevResourceDesc_st* CUdevResourceDesc;
typedef struct CUdevSmResource_st {
    unsigned int smCount, minSmPartitionSize, smCoscheduledAlignment, flags;
} CUdevSmResource;
typedef struct CUdevResource_st {
    CUdevResourceType type;
    unsigned char _internal_padding[92];
    union {
        CUdevSmResource sm;
        unsigned char _oversize[40];
    };
    struct CUdevResource_st* nextResource;
} CUdevResource;

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type);
CUresult cuCtxGetDevResource(CUcontext context, CUdevResource* resource, CUdevResourceType type);
CUresult cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource* resource, CUdevResourceType type);
CUresult cuDevSmResourceSplitByCount(CUdevResource* parts, unsigned int* count, const CUdevResource* whole, CUdevResource* rest, unsigned int flags,
                                     unsigned int least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources, unsigned int count);
CUresult cuGreenCtxCreate(CUgreenCtx* context, CUdevResourceDesc description, CUdevice device, unsigned int flags);
CUresult cuGreenCtxDestroy(CUgreenCtx context);
CUresult cuCtxFromGreenCtx(CUcontext* context, CUgreenCtx green);
CUresult cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event);
CUresult cuGreenCtxWaitEvent(CUgreenCtx context, CUevent event);
CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx context, unsigned int flags, int priority);
CUresult cuGreenCtxGetId(CUgreenCtx context, unsigned long long* id);
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx* context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green);
#ifdef __cplusplus
}
#endif
