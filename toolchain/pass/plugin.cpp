// The plugin that clang loads when it compiles kernels: it adds our passes to clang's own.
// Its one function is found by name, so it is the one that is not hidden.
#include <llvm/Passes/PassPlugin.h>

#include "passes.hpp"

namespace {

/// Leaves out passes of clang's that nvcc has not: one makes calls of memset and memcpy of loops, the other of stores
/// in a row, and the back end then stores byte by byte. A third sees what shifts and masks compute together (a count of
/// bits, a table of positions) and writes that; a fourth carries what a round has written to the next one.
void leave_out(llvm::PassBuilder& builder) {
    if (auto* callbacks = builder.getPassInstrumentationCallbacks())
        callbacks->registerShouldRunOptionalPassCallback([](llvm::StringRef pass, const llvm::Any&) {
            return pass != "LoopIdiomRecognizePass" && pass != "MemCpyOptPass" && pass != "NVVMIntrRangePass" &&
                   pass != "AggressiveInstCombinePass" && pass != "LoopLoadEliminationPass";
        });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "warpwright", "2", [](llvm::PassBuilder& builder) {
                leave_out(builder);
                add_library_calls(builder);
                add_local_arrays(builder);
                add_loops_inline(builder);
                add_copies(builder);
                add_divisors(builder);
                add_invariant_loads(builder);
                add_sides(builder);
                add_bit_counts(builder);
                add_gaps(builder);
                add_wide_accesses(builder);
                add_switches(builder);
                add_offsets(builder);
                add_signs(builder);
                add_neighbours(builder);
                add_shared_parts(builder);
                add_shared_addresses(builder);
                add_own_steps(builder);
                add_indices(builder);
                add_index_sums(builder);
                add_sinking(builder);
                add_unroll(builder);
                add_load_order(builder);
                add_truth(builder);
                add_layout(builder);
                add_constants(builder);
                add_late_loads(builder);
                add_cluster_dimensions(builder);
                add_group_size(builder);
                share_as_nvcc();
            }};
}
