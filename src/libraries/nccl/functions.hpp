// What the entry points of libnccl do (entry.cpp makes them from warpwright/nccl_api.inc).
#pragma once

#include "nccl.h"

namespace warpwright::libraries::nccl_impl {

#define WW_NCCL(name, parameters, arguments) ncclResult_t name parameters;
#include "warpwright/nccl_api.inc"
#undef WW_NCCL

}  // namespace warpwright::libraries::nccl_impl
