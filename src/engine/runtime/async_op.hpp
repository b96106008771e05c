// Instructions new in sm_90 other than wgmma: mbarriers, bulk copies and tensor copies, the cluster's barrier and
// addresses. Generated code passes every lane's operands to ww_rt_async, which calls the function of the decoded form's
// operation.
//
// Each has its effect at once, at the instruction that starts it: a program may look at the result only after it has
// waited, and then the effect is the same. Blocks of a cluster run on one host thread, so nothing here is atomic.
#pragma once

#include <cstdint>

#include "engine/shared/abi.hpp"
#include "engine/shared/async_form.hpp"
#include "engine/shared/executor.hpp"
#include "support/cause.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

/// Bytes of shared memory of this block or of another block of its cluster.
struct SharedPlace {
    std::uint8_t* host = nullptr;  ///< null: no such place
    BlockContext* owner = nullptr;
    std::uint64_t offset = 0;
};
/// Resolves a shared address of 32 bits, or a generic one. (A generic one may also be a bare offset: the ISA's own
/// examples name shared variables where generic addresses are needed, and no other memory lies there.)
SharedPlace shared_place(BlockContext* c, std::uint64_t address, bool generic, std::uint64_t bytes);

/// The same offset in the block of a rank; a null host address if there is none.
SharedPlace peer_place(const BlockContext* c, std::uint32_t rank, std::uint64_t offset, std::uint64_t bytes);

/// Records a fault at the instruction, naming the lane.
bool async_fault(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const std::string& what,
                 Cause cause);

/// Counts bytes that a copy has delivered at the mbarrier's place; false (with a fault) if that is no valid mbarrier.
bool complete_bytes(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& barrier,
                    std::uint64_t bytes);

/// The function of each operation. `in`: [operand][lane] as AsyncForm lists them; `out` likewise. False after a fault
/// was recorded.
using AsyncFunction = bool(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t mask, const std::uint64_t* in,
                           std::uint64_t* out);
AsyncFunction run_nothing, run_mbarrier, run_cluster_arrive, run_remote_store, run_bulk, run_tensor_copy,
    run_prefetch_tensor_map, run_copy_tensor_map, run_replace_in_tensor_map, run_texture, run_texture_query,
    run_is_type, run_surface, run_surface_reduction, run_cache_policy;

/// Calls the function of the form's operation.
bool run_async(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
               std::uint64_t* out);

}  // namespace warpwright::engine
