// A pass for clang, loaded into it as a plugin: the back end carries no loaded
// values from round to round.
//
// NVPTX has global value numbering run once more, behind everything else, where our passes have made walking pointers
// of indices; it then sees that a loop reads what the round before has written, and carries the value over. nvcc reads
// it again. So value numbering follows a load to one place at most there, and as far as ever in all that comes before.
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CommandLine.h>

#include <cstdint>

#include "passes.hpp"

namespace {

/// The limit of blocks through which value numbering follows a load.
constexpr const char* kLimit = "gvn-max-num-deps";
constexpr unsigned kAsEver = 100, kOnePlace = 1;

struct FollowLoads : llvm::PassInfoMixin<FollowLoads> {
    unsigned most;
    explicit FollowLoads(unsigned most) : most(most) {}
    llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&) const {
        auto& options = llvm::cl::getRegisteredOptions();
        if (const auto found = options.find(kLimit); found != options.end())
            static_cast<llvm::cl::opt<std::uint32_t>*>(found->second)->setValue(most);
        return llvm::PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

}  // namespace

void add_late_loads(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(FollowLoads(kAsEver)); });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(FollowLoads(kOnePlace)); });
}
