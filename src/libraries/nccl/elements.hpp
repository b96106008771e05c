// The element types of NCCL, and what its operators make of the elements of all ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "nccl.h"

namespace warpwright::libraries::nccl {

/// Bytes of an element; 0: there is no such type.
std::size_t bytes_of(ncclDataType_t type);
/// Whether elements of the type can be reduced: those of 8 bits are only moved.
bool reduces(ncclDataType_t type);
/// Combines `count` elements of each source, in the order of the sources, so that results are the same in each run.
/// `to` may be one of them. Halves are combined in float and rounded once.
void reduce(void* to, const std::vector<const void*>& from, std::size_t count, ncclDataType_t type, ncclRedOp_t op);

}  // namespace warpwright::libraries::nccl
