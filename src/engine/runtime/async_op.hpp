// Instructions new in sm_90 other than wgmma: mbarriers, bulk copies and tensor copies, the cluster's barrier and
// addresses. Generated code passes every lane's operands to a C++ function, which the decoded form of the instruction
// names.
//
// Each has its effect at once, at the instruction that starts it: a program may look at the result only after it has
// waited, and then the effect is the same. Blocks of a cluster run on one host thread, so nothing here is atomic.
#pragma once

#include <cstdint>

#include "engine/abi.hpp"
#include "engine/run/executor.hpp"
#include "simt/details.hpp"
#include "support/cause.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

struct AsyncForm;
/// `in`: [operand][lane] as AsyncForm lists them; `out` likewise. False after a fault was recorded.
using AsyncFunction = bool (*)(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t mask, const std::uint64_t* in,
                               std::uint64_t* out);

struct AsyncForm {
    const simt::Details* ptx = nullptr;
    AsyncFunction run = nullptr;
    unsigned inputs = 0;  ///< operands in the warp IR: an address counts as two
    bool shared = false;  ///< the first address is a 32-bit one of shared memory, else generic
    bool multicast = false;
    unsigned dimensions = 0;      ///< tensor copies
    bool im2col = false;          ///< tensor copies: columns of pixels and not boxes
    unsigned shifts = 0;          ///< im2col: how many offsets follow the mbarrier
    std::uint32_t operation = 0;  ///< reductions: AtomicOp
    unsigned element_bytes = 0;   ///< reductions and st.async
    bool typed = true;            ///< the instruction states the type of a reduction, else the tensor map does
    unsigned values = 1;          ///< surfaces: elements of element_bytes, from input first_value on
    unsigned first_value = 0;
    bool layered = false, cube = false;  ///< textures and surfaces: their geometry
    unsigned level_at = 0, across_at = 0, down_at = 0,
             shift_at = 0;   ///< textures: inputs with the level, gradients, offsets; 0: none
    bool resident = false;   ///< textures: a predicate follows the channels
    bool moves = false;      ///< reads or writes global memory
    std::uint32_t site = 0;  ///< the site that counts its reads; the next one counts its writes
    bool counted = false;
};

/// A located error if the instruction is not in the ISA or not executed here. `inputs`: operands in the warp IR.
Result<AsyncForm> decode_async(const simt::Details& instruction, unsigned inputs);

/// The decoders for textures and surfaces, and for tensor maps.
Result<AsyncForm> decode_texture(const simt::Details& instruction, unsigned inputs);
Result<AsyncForm> decode_tensor_map(const simt::Details& instruction, unsigned inputs);

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

bool run_mbarrier(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_bulk(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_tensor_copy(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_remote_store(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_cluster_arrive(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*,
                        std::uint64_t*);
bool run_texture(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_surface(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_surface_reduction(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*,
                           std::uint64_t*);
bool run_texture_query(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*,
                       std::uint64_t*);
bool run_is_type(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);
bool run_nothing(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*);

/// Completes the phase of the cluster's barrier if every thread that has not exited has arrived.
void end_cluster_phase(ClusterState& cluster, std::uint64_t frame_bytes);

}  // namespace warpwright::engine
