// The state of one function while its LLVM code is written: its sources, the builder's position, and the values, masks
// and blocks that exist. The emitters (the other headers of this folder) take it as `fn` and write code; it writes none
// itself but for constants and addresses.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/shared/kernel_layout.hpp"
#include "machine/code.hpp"
#include "simt/shape.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

using V = llvm::Value*;

/// Which values that cross blocks are kept in memory, because LLVM would take too long to keep them in registers.
struct InMemory {
    bool scalars = false;
    bool predicates = false;  ///< of each lane its own
    bool vectors = false;     ///< of anything else
};

/// Where the values of the warp IR are kept.
struct ValueState {
    std::vector<V> slots;         ///< the slot of a value that crosses blocks; null: it crosses none
    std::vector<bool> in_frame;   ///< a kernel's: its slot is its place in the frame
    InMemory in_memory;           ///< which kinds of slots are in memory from the start
    std::vector<bool> crosses;    ///< read in another block than the one that defines it
    std::vector<bool> nan;        ///< it may be a NaN with the host's bits
    std::vector<bool> looked_at;  ///< checking: it is used for more than a store
    std::vector<bool> read;       ///< checking: it is used at all
    std::vector<V> local;         ///< values known in the block being written
    std::vector<simt::ValueId> local_set;
    std::vector<std::vector<simt::ValueId>> extra;  ///< values that are needed to read a value's affine form
    std::vector<simt::BitSet> live;                 ///< by block, at its start
    simt::BitSet live_where_picked;                 ///< at the start of any block that may be picked, if it is saved
    std::vector<std::uint64_t> save_offset;         ///< in the frame
    std::vector<llvm::BitVector> kept;              ///< by block that ends at a barrier: what the frame has already
};

/// The function's blocks and their pending masks.
struct FlowState {
    std::vector<llvm::BasicBlock*> full, partial;  ///< the converged and the masked copy of each block
    bool full_copy = true;                         ///< the converged copies exist
    std::vector<llvm::AllocaInst*> pending;        ///< the pending mask of each block
    V pending_base = nullptr;                      ///< the pending masks in memory
    bool pending_in_frame = false;                 ///< pending masks live in memory
    bool memory_pending = false;                   ///< strict functions: the runtime chooses among the pending masks
    std::vector<std::vector<simt::BlockId>> frontier;  ///< blocks that may have lanes while each runs
    std::vector<bool> stub;                            ///< masked copies that converged code does without; empty = none
    std::vector<bool> stub_reached;                    ///< stubs that lanes can reach
    std::vector<std::uint32_t> phase_class;            ///< by block; see find_phase_waits
    llvm::BasicBlock *entry = nullptr, *start = nullptr, *slow = nullptr, *error = nullptr;
    llvm::SwitchInst* resume_switch = nullptr;
    std::vector<llvm::ReturnInst*> barrier_returns;  ///< where a warp waits for all others of its block
    std::vector<llvm::ReturnInst*> ends;             ///< where a warp has no lanes left
    unsigned resume_points = 0;
    llvm::AllocaInst* chained = nullptr;  ///< instructions since the warp went on (codegen/warp_chain); null: none are
};

/// The position at which code is being written.
struct Position {
    bool converged = true;  ///< the copy in which all lanes are active, without masks
    simt::BlockId block = 0;
    V mask = nullptr;                         ///< masked copy: the lanes of the block
    unsigned first_lane = 0;                  ///< lane at the start of the run being checked, for messages
    bool ended = false;                       ///< the block's terminator was already written (barriers, calls)
    bool again = false;                       ///< in the second version of the same instructions (joint_bounds.hpp)
    std::set<const simt::Inst*> in_bounds;    ///< accesses whose bounds and assumptions were found to hold
    std::set<const simt::Inst*> counted;      ///< accesses that were counted with others (joint_counts.hpp)
    std::vector<simt::ValueId> accumulators;  ///< accumulators that the block's last wgmma left in its buffer
};

/// The times of a kernel that times itself (codegen/self_timing.hpp).
struct TimeState {
    bool on = false;
    std::vector<V> ready;                                           ///< by value: the slot with when it is there
    std::vector<std::vector<std::vector<machine::Op>>> operations;  ///< by block and instruction
};

struct FunctionState {
    FunctionState(llvm::Module& module, const simt::Function& ir, const CodegenOptions& options, KernelLayout& layout);

    llvm::LLVMContext& context;
    llvm::Module& module;
    llvm::IRBuilder<> b;
    const simt::Function& ir;
    const CodegenOptions& options;
    KernelLayout& layout;
    simt::Shapes shapes;
    bool keeps_clock = false;  ///< advances WarpFrame::executed: blocks take turns by it, or the kernel reads a clock
    TimeState times;
    unsigned lanes;
    llvm::IntegerType* mask_type;

    llvm::Function* function = nullptr;
    V ctx = nullptr, frame = nullptr, resume = nullptr, argument_mask = nullptr, stack = nullptr;
    // Loaded once, at the start: fields of BlockContext and WarpFrame.
    V counters = nullptr, sites = nullptr, shared = nullptr, shared_size = nullptr, local = nullptr;
    V quiet = nullptr, quiet_start = nullptr, quiet_limit = nullptr, quiet_mark = nullptr;
    V calm_log = nullptr, calm_states = nullptr, calm_limit = nullptr, shape_of_warp = nullptr;

    ValueState values;
    FlowState flow;
    Position at;
    std::map<unsigned, llvm::AllocaInst*> buffers;
    std::map<const simt::Inst*, unsigned> site_of, form_of;
    std::map<unsigned, unsigned> places_of_site;  ///< the first of a site's own counters of places
    unsigned followed = 0;                        ///< accesses whose code looks at the addresses (followed_access.hpp)
    unsigned logged = 0;  ///< checked reads whose code writes the log itself (checked_access.hpp)

    // Types and constants.
    llvm::Type* vec(llvm::Type* t) const { return llvm::FixedVectorType::get(t, lanes); }
    V splat(V scalar) { return b.CreateVectorSplat(lanes, scalar); }
    V i32(std::uint64_t x) { return b.getInt32(static_cast<std::uint32_t>(x)); }
    V i64(std::uint64_t x) { return b.getInt64(x); }
    V mask_constant(std::uint64_t x) const { return llvm::ConstantInt::get(mask_type, x); }
    std::uint64_t mask_of_all() const { return lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1; }
    V full_mask() const { return mask_constant(mask_of_all()); }
    V mask64(V mask) { return b.CreateZExtOrTrunc(mask, b.getInt64Ty()); }
    /// The lanes that run the code being written.
    V active() const { return at.converged ? full_mask() : at.mask; }

    // Shapes: whether an operand is one scalar for the warp, or a scalar base with lane offsets.
    bool uniform(const simt::Operand& o) const { return !o.is_value() || shapes.of[o.value] == simt::Shape::uniform; }
    bool scalar_kind(simt::ValueId v) const { return shapes.of[v] != simt::Shape::varying; }

    // Addresses in memory.
    V field(V base, std::size_t offset) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset); }
    V load_field(llvm::Type* t, V base, std::size_t offset) { return b.CreateLoad(t, field(base, offset)); }
    /// Scratch memory of the function; the largest user of a number decides its size.
    V buffer(unsigned which, std::uint64_t bytes);

    llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(context, name, function); }
    /// Branch weights: nearly always the first way, or the second.
    llvm::MDNode* weights(bool first_likely);
    Error unsupported(const simt::Inst& i, const std::string& why) const;
    /// Adds the instruction's place to an error that has none.
    Error located(Error e, const simt::Inst& i) const;
};

}  // namespace warpwright::engine::codegen
