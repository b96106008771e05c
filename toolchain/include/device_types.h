// How a conversion rounds, for functions that are told so (cuda_fp8.h); what else NVIDIA's header of this name declares is in the
// header that the compile room includes first.
#pragma once
#include "warpwright/hide_names.h"

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#include "warpwright/restore_names.h"
