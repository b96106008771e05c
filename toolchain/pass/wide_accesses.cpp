// A pass for clang, loaded into it as a plugin: accesses of 16 bytes stay in one piece, as nvcc keeps them.
//
// Copies: clang writes `b[i] = a[i]` of a float4 as a call of memcpy with 16 bytes, which its back end splits into two
// accesses of 8. Here it becomes one load and one store of four words. Shared memory: clang takes an access to an array
// of chars for one of alignment 1, whatever type it is made by, so that `((float4*)raw)[i]` comes apart into bytes.
// Here the array is aligned to what its accesses ask for, and those that then are aligned say so.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "passes.hpp"

namespace {

constexpr std::uint64_t kPiece = 16, kMostBytes = 256;

/// The variable of shared memory that an address is within, and the alignment that its offset from the variable's start
/// keeps.
struct Place {
    llvm::GlobalVariable* variable = nullptr;
    llvm::Align kept{1};
};

Place place_of(llvm::Value* address, const llvm::DataLayout& layout) {
    llvm::Align kept(std::uint64_t{1} << 12);
    for (int steps = 0; steps < 64; ++steps) {
        if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(address))
            return {variable->getAddressSpace() == kSharedSpace ? variable : nullptr, kept};
        if (auto* offset = llvm::dyn_cast<llvm::GEPOperator>(address)) {
            kept = std::min(kept, offset->getMaxPreservedAlignment(layout));
            address = offset->getPointerOperand();
        } else if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(address)) {
            address = cast->getPointerOperand();
        } else {
            break;
        }
    }
    return {};
}

/// Gives accesses to shared variables the alignment that they have once the variable is aligned to what they ask for,
/// up to 16 bytes. Runs before the optimiser, on addresses as the source writes them.
struct AlignShared : llvm::PassInfoMixin<AlignShared> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        const auto& layout = module.getDataLayout();
        for (auto& variable : module.globals())
            if (variable.getAddressSpace() == kSharedSpace && variable.isDeclaration())
                variable.setAlignment(std::max(variable.getAlign().valueOrOne(), llvm::Align(kPiece)));
        for (auto& function : module)
            for (auto& block : function)
                for (auto& instruction : block) align(instruction, layout);
        return llvm::PreservedAnalyses::none();
    }

private:
    static void align(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
            const auto wanted = layout.getABITypeAlign(load->getType());
            load->setAlignment(known(load->getPointerOperand(), load->getAlign(), wanted, layout));
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            const auto wanted = layout.getABITypeAlign(store->getValueOperand()->getType());
            store->setAlignment(known(store->getPointerOperand(), store->getAlign(), wanted, layout));
        } else if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) {
            const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
            if (!length || length->isZero()) return;
            const llvm::Align whole(std::uint64_t{1} << std::min(4u, length->getValue().countr_zero()));
            // What the types say, but for arrays of characters: a structure of four floats keeps its four bytes.
            const auto typed = std::max(copy->getSourceAlign().valueOrOne(), copy->getDestAlign().valueOrOne());
            const auto wanted = typed == llvm::Align() ? whole : std::min(whole, typed);
            auto from = known(copy->getSource(), copy->getSourceAlign().valueOrOne(), wanted, layout);
            auto to = known(copy->getDest(), copy->getDestAlign().valueOrOne(), wanted, layout);
            // An assignment of the language: both sides are of one type, and as aligned as the better known of them.
            if (copy->getMetadata(llvm::LLVMContext::MD_tbaa_struct)) {
                const auto both = std::min(std::max(from, to), wanted);
                from = trusted(copy->getSource(), from, both, layout);
                to = trusted(copy->getDest(), to, both, layout);
            }
            copy->setSourceAlignment(from);
            copy->setDestAlignment(to);
        }
    }
    static llvm::Align known(llvm::Value* address, llvm::Align now, llvm::Align wanted,
                             const llvm::DataLayout& layout) {
        wanted = std::min(wanted, llvm::Align(kPiece));
        if (now >= wanted) return now;
        const Place place = place_of(address, layout);
        return place.variable ? std::max(now, raise(*place.variable, std::min(wanted, place.kept))) : now;
    }
    static llvm::Align trusted(llvm::Value* address, llvm::Align now, llvm::Align wanted,
                               const llvm::DataLayout& layout) {
        if (now >= wanted) return now;
        const Place place = place_of(address, layout);
        return place.variable ? std::max(now, raise(*place.variable, wanted)) : now;
    }
    /// The variable's alignment becomes `wanted` at least.
    static llvm::Align raise(llvm::GlobalVariable& variable, llvm::Align wanted) {
        if (variable.getAlign().valueOrOne() < wanted) variable.setAlignment(wanted);
        return wanted;
    }
};

/// Copies of aligned pieces of 16 bytes by one load and one store each.
struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::MemCpyInst*, 8> copies;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction); copy && fits(*copy))
                    copies.push_back(copy);
        for (auto* copy : copies) widen(*copy);
        return copies.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    }

private:
    static bool fits(const llvm::MemCpyInst& copy) {
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
        return length && !copy.isVolatile() && length->getZExtValue() % kPiece == 0 && length->getZExtValue() != 0 &&
               length->getZExtValue() <= kMostBytes && copy.getSourceAlign().valueOrOne() >= llvm::Align(kPiece) &&
               copy.getDestAlign().valueOrOne() >= llvm::Align(kPiece);
    }
    static void widen(llvm::MemCpyInst& copy) {
        llvm::IRBuilder<> builder(&copy);
        auto* words = llvm::FixedVectorType::get(builder.getInt32Ty(), 4);
        const auto length = llvm::cast<llvm::ConstantInt>(copy.getLength())->getZExtValue();
        for (std::uint64_t at = 0; at < length; at += kPiece) {
            auto* from = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getSource(), at);
            auto* to = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getDest(), at);
            builder.CreateAlignedStore(builder.CreateAlignedLoad(words, from, llvm::Align(kPiece)), to,
                                       llvm::Align(kPiece));
        }
        copy.eraseFromParent();
    }
};

}  // namespace

void add_wide_accesses(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(AlignShared()); });
    // Late: until then the optimiser sees copies as copies, and removes those it can.
    // The back end joins neighbouring accesses whose alignment is known, and it is known once an address is seen to be
    // in shared memory.
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        llvm::FunctionPassManager last;
        last.addPass(WidenCopies());
        if (level.getSpeedupLevel() > 0) {
            last.addPass(llvm::InferAddressSpacesPass());
            last.addPass(llvm::InferAlignmentPass());
        }
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}
