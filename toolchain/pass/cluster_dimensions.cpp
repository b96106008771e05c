// A pass for clang, loaded into it as a plugin: the cluster that a kernel is declared with, `__cluster_dims__(x, y,
// z)`.
//
// Clang 19 does not know the attribute, and its back end has no directive for it. Our headers make it an annotation
// (toolchain/include/warpwright/qualifiers.h). Here the annotation of each kernel becomes a line of assembly at the
// top of the module, which the PTX text then has as a comment; compile/kernel/rewrite_ptx.cpp turns that line into the
// directives .explicitcluster and .reqnctapercluster of the kernel.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <string>

#include "passes.hpp"

namespace {

constexpr const char* kAnnotation = "warpwright.cluster_dims";

/// The text that a constant of characters has, without its final 0.
llvm::StringRef text_of(const llvm::Value* value) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
    if (!variable || !variable->hasInitializer()) return {};
    const auto* characters = llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
    return characters && characters->isCString() ? characters->getAsCString() : llvm::StringRef();
}

/// The annotation's arguments are the members of a structure; what is not given is 1.
std::string extents_of(const llvm::Value* value) {
    std::string text;
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
    const llvm::Constant* members = variable && variable->hasInitializer() ? variable->getInitializer() : nullptr;
    for (unsigned k = 0; k < 3; ++k) {
        const llvm::Constant* member = members ? members->getAggregateElement(k) : nullptr;
        const auto* number = member ? llvm::dyn_cast<llvm::ConstantInt>(member) : nullptr;
        text += " " + std::to_string(number ? number->getZExtValue() : std::uint64_t{1});
    }
    return text;
}

struct ClusterDimensions : llvm::PassInfoMixin<ClusterDimensions> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        auto* all = module.getNamedGlobal("llvm.global.annotations");
        if (!all || !all->hasInitializer()) return llvm::PreservedAnalyses::all();
        const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer());
        for (unsigned k = 0; entries && k < entries->getNumOperands(); ++k) {
            const llvm::Constant* entry = entries->getOperand(k);
            const auto member = [&](unsigned index) { return entry->getAggregateElement(index); };
            const auto* kernel = llvm::dyn_cast<llvm::Function>(member(0)->stripPointerCasts());
            if (!kernel || text_of(member(1)) != kAnnotation) continue;
            const std::string extents = member(4) ? extents_of(member(4)) : " 1 1 1";
            module.appendModuleInlineAsm("//" + std::string(kAnnotation) + " " + kernel->getName().str() + extents);
        }
        // Nothing else reads annotations in device code, and as long as they name a kernel the text declares it first.
        all->eraseFromParent();
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

}  // namespace

void add_cluster_dimensions(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ClusterDimensions()); });
}
