// The plugin that clang loads when it compiles kernels: it adds our passes to clang's own.
#include <llvm/Passes/PassPlugin.h>

#include "passes.hpp"

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "warpwright", "2", [](llvm::PassBuilder& builder) {
                add_wide_accesses(builder);
                add_cluster_dimensions(builder);
            }};
}
