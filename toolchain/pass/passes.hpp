// The passes that our plugin adds to clang's pipeline (plugin.cpp), a function for each file.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Passes/PassBuilder.h>

/// Shared memory's address space.
inline constexpr unsigned kSharedSpace = 3;

/// Kernels have this attribute as soon as variables have become values (divisors.cpp).
inline constexpr llvm::StringRef kKernel = "warpwright-kernel";

/// Loops that we have unrolled unasked have this attribute, with the number of copies (unroll.cpp).
inline constexpr const char* kUnrolled = "warpwright.unrolled";
/// And those of the rounds that are left over.
inline constexpr const char* kRest = "warpwright.rest";

/// The value, as one that the back end's passes over loops do not take apart, nor take for another one. It becomes no
/// instruction.
inline llvm::Value* apart(llvm::Value& value, llvm::Instruction& before) {
    llvm::IRBuilder<> builder(&before);
    auto* zero = llvm::ConstantInt::get(value.getType(), 0);
    return builder.CreateIntrinsic(value.getType(), llvm::Intrinsic::expect, {&value, zero});
}

/// Whether a loop does anything but compute and store: if its step may be zero, it may then go on for ever
/// (unroll.cpp).
bool has_effects(const llvm::Loop& loop);

/// Accesses of 16 bytes stay in one piece (wide_accesses.cpp).
void add_wide_accesses(llvm::PassBuilder& builder);

/// `__cluster_dims__` reaches the PTX text (cluster_dimensions.cpp).
void add_cluster_dimensions(llvm::PassBuilder& builder);

/// The group that an OpenCL kernel requires reaches the PTX text (group_size.cpp).
void add_group_size(llvm::PassBuilder& builder);

/// Loops whose trip count only the launch knows are unrolled as by nvcc (unroll.cpp).
void add_unroll(llvm::PassBuilder& builder);

/// Divisions by powers of two that a loop makes stay divisions (divisors.cpp).
void add_divisors(llvm::PassBuilder& builder);

/// What is only read through `__restrict__` pointers stays what it is (invariant_loads.cpp).
void add_invariant_loads(llvm::PassBuilder& builder);

/// A switch whose cases are all there are has its last one as its default (switches.cpp).
void add_switches(llvm::PassBuilder& builder);

/// Indices that cannot be negative are widened as signed ones (signs.cpp).
void add_signs(llvm::PassBuilder& builder);

/// Elements at constant distances from each other have one address (neighbours.cpp).
void add_neighbours(llvm::PassBuilder& builder);

/// Indices of loops are computed in 64 bits where that saves work in each round (indices.cpp).
void add_indices(llvm::PassBuilder& builder);

/// Constant parts of addresses come last (offsets.cpp).
void add_offsets(llvm::PassBuilder& builder);

/// Multiply-adds that the source asks for take constants from registers (constants.cpp).
void add_constants(llvm::PassBuilder& builder);

/// Blocks stand in the order of the source (layout.cpp).
void add_layout(llvm::PassBuilder& builder);

/// Short sides of branches are computed and chosen from at the sizes at which nvcc does so (sides.cpp).
void add_sides(llvm::PassBuilder& builder);

/// Parts of a vector that are read together are read as the whole vector (gaps.cpp).
void add_gaps(llvm::PassBuilder& builder);

/// Loops that count bits become one instruction (bit_counts.cpp).
void add_bit_counts(llvm::PassBuilder& builder);

/// Copies of structures are copies of their fields (copies.cpp).
void add_copies(llvm::PassBuilder& builder);

/// Elements of parts of shared memory are elements of the whole (shared_parts.cpp).
void add_shared_parts(llvm::PassBuilder& builder);

/// Addresses in shared memory that are the same are computed once (shared_addresses.cpp).
void add_shared_addresses(llvm::PassBuilder& builder);

/// What is loaded is loaded in front of what first needs it (load_order.cpp).
void add_load_order(llvm::PassBuilder& builder);

/// Functions with loops are inlined before anything is optimised (loops_inline.cpp).
void add_loops_inline(llvm::PassBuilder& builder);

/// The back end shares what one block computes with the blocks behind it, and moves nothing in front of both sides of a
/// branch (machine_sharing.cpp).
void share_as_nvcc();

/// The back end carries no loaded values from round to round (late_loads.cpp).
void add_late_loads(llvm::PassBuilder& builder);

/// What is found by counters that may overflow is found anew in each round (own_steps.cpp).
void add_own_steps(llvm::PassBuilder& builder);

/// Parts of an index are added before they become an address (index_sums.cpp).
void add_index_sums(llvm::PassBuilder& builder);

/// Numbers that are true or false are compared with zero (truth.cpp).
void add_truth(llvm::PassBuilder& builder);

/// What all sides of a branch end with is done once, behind them (sinking.cpp).
void add_sinking(llvm::PassBuilder& builder);

/// What add_sides() does, at once.
bool choose_short_sides(llvm::Function& function);

/// Variables in local memory are as aligned as their sizes allow (local_arrays.cpp).
void add_local_arrays(llvm::PassBuilder& builder);

/// It is told whether a module calls functions of libclc (library_calls.cpp).
void add_library_calls(llvm::PassBuilder& builder);
