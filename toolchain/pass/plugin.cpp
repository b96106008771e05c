// The plugin that clang loads when it compiles kernels: it adds our passes to clang's own.
// Its one function is found by name, so it is the one that is not hidden.
#include <llvm/Passes/PassPlugin.h>

#include "passes.hpp"

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "warpwright", "2", [](llvm::PassBuilder& builder) {
                add_wide_accesses(builder);
                add_cluster_dimensions(builder);
            }};
}
