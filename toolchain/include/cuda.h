// The driver's header, for the many programs that include it and use the runtime alone: the names of its handles. The driver's functions (cuInit and the like) are not here: this project has a runtime library.
#pragma once

#include "driver_types.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
