// What sm_90 added beside wgmma: mbarriers, bulk copies and tensor copies, the cluster's barrier and addresses.
// Generated code hands every lane's operands to a C++ function, which the decoded form of the instruction names.
//
// All of it happens at once, at the instruction that starts it: a program may look at the result only after it has
// waited, and then the effect is the same. Blocks of a cluster run on one host thread, so nothing here is atomic.
#pragma once

#include <cstdint>

#include "engine/abi.hpp"
#include "engine/run/executor.hpp"
#include "ptx/ast.hpp"
#include "support/cause.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

struct AsyncForm;
/// `in`: [operand][lane] as AsyncForm lists them; `out` likewise. False after recording a fault.
using AsyncFunction = bool (*)(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t mask, const std::uint64_t* in,
                               std::uint64_t* out);

struct AsyncForm {
    const ptx::Instruction* ptx = nullptr;
    AsyncFunction run = nullptr;
    unsigned inputs = 0;  ///< operands of the warp IR: an address is two
    bool shared = false;  ///< the first address is a 32-bit one of shared memory, else generic
    bool multicast = false;
    unsigned dimensions = 0;      ///< tensor copies
    std::uint32_t operation = 0;  ///< reductions: AtomicOp
    unsigned element_bytes = 0;   ///< reductions and st.async
    bool typed = true;            ///< the instruction says the type of a reduction, else the tensor map
    unsigned values = 1;          ///< surfaces: elements of element_bytes, from input first_value on
    unsigned first_value = 0;
    bool layered = false, cube = false;  ///< textures and surfaces: their geometry
    unsigned level_at = 0, across_at = 0, down_at = 0,
             shift_at = 0;   ///< textures: inputs with the level, gradients, offsets; 0: none
    bool resident = false;   ///< textures: a predicate follows the channels
    bool moves = false;      ///< reads or writes global memory
    std::uint32_t site = 0;  ///< where its traffic is counted: reads, and the one after it writes
    bool counted = false;
};

/// A located error where the instruction is not one of the ISA's or not executed here. `inputs`: of the warp IR.
Result<AsyncForm> decode_async(const ptx::Instruction& instruction, unsigned inputs);

/// The parts of it for textures and surfaces, and for tensor maps.
Result<AsyncForm> decode_texture(const ptx::Instruction& instruction, unsigned inputs);
Result<AsyncForm> decode_tensor_map(const ptx::Instruction& instruction, unsigned inputs);

/// Bytes of shared memory of this block or of one of its cluster.
struct SharedPlace {
    std::uint8_t* host = nullptr;  ///< null: no such place
    BlockContext* owner = nullptr;
    std::uint64_t offset = 0;
};
/// A shared address of 32 bits, or a generic one. (A generic one may also be a bare offset: the ISA's own examples name
/// shared variables where generic addresses are meant, and no other memory lies there.)
SharedPlace shared_place(BlockContext* c, std::uint64_t address, bool generic, std::uint64_t bytes);

/// The same offset in the block of a rank; null host when there is none.
SharedPlace peer_place(const BlockContext* c, std::uint32_t rank, std::uint64_t offset, std::uint64_t bytes);

/// Records a fault at the instruction, naming the lane.
bool async_fault(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const std::string& what,
                 Cause cause);

/// Bytes that a copy has delivered, at the mbarrier's place; false (with a fault) where that is no valid mbarrier.
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

/// Ends the phase of the cluster's barrier if every thread that lives has arrived.
void end_cluster_phase(ClusterState& cluster, std::uint64_t frame_bytes);

}  // namespace warpwright::engine
