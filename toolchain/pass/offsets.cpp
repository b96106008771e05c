// A pass for clang, loaded into it as a plugin: constant parts of addresses in arrays come last.
//
// clang writes `tile[3][x]` as element x of what lies 192 bytes behind the start of `tile`, so each row has an address
// of its own, which is computed before a loop and held in a register. Here it is what lies 192 bytes behind tile[0][x]:
// one register for all rows, and the constant is part of the access, as with nvcc.
//
// Likewise `ring[(k + 3) & 31]` in shared memory: the index is scaled before constants are added and masked off, so
// that all such accesses share one shift. In global memory such an index is masked once it has 64 bits.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Local.h>

#include "passes.hpp"

namespace {

struct OffsetsLast : llvm::PassInfoMixin<OffsetsLast> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        const auto& layout = function.getParent()->getDataLayout();
        llvm::SmallVector<llvm::GetElementPtrInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                    address && !address->getType()->isVectorTy() &&
                    llvm::isa<llvm::ConstantExpr>(address->getPointerOperand()) && !address->hasAllConstantIndices())
                    found.push_back(address);
        bool changed = false;
        for (auto* address : found) changed |= split(*address, layout);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    static bool split(llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
        auto* pointer = address.getPointerOperand();
        llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
        auto* variable = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
        if (!llvm::isa<llvm::GlobalVariable>(variable) || variable->getType() != pointer->getType() || offset.isZero())
            return false;
        llvm::IRBuilder<> builder(&address);
        llvm::SmallVector<llvm::Value*, 4> indices(address.indices());
        auto* first = builder.CreateGEP(address.getSourceElementType(), variable, indices);
        auto* whole = builder.CreateGEP(builder.getInt8Ty(), first, builder.getInt(offset));
        address.replaceAllUsesWith(whole);
        address.eraseFromParent();
        return true;
    }
};

struct ScaleFirst : llvm::PassInfoMixin<ScaleFirst> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        const auto& layout = function.getParent()->getDataLayout();
        llvm::SmallVector<llvm::GetElementPtrInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                    address && (is_of_shared_array(*address) || is_of_global_array(*address)))
                    found.push_back(address);
        bool changed = false;
        for (auto* address : found)
            changed |= is_of_shared_array(*address) ? scale(*address, layout) : scale_wide(*address, layout);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// An element of a whole array in shared memory: its last index alone is no zero.
    static bool is_of_shared_array(const llvm::GetElementPtrInst& address) {
        const auto* array = address.getPointerOperand()->stripPointerCasts();
        if (!llvm::isa<llvm::GlobalVariable>(array) || array->getType()->getPointerAddressSpace() != kSharedSpace)
            return false;
        const auto indices = llvm::drop_end(address.indices());
        return !address.getType()->isVectorTy() && llvm::all_of(indices, [](const llvm::Use& index) {
            const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index.get());
            return number && number->isZero();
        });
    }
    static bool is_of_global_array(const llvm::GetElementPtrInst& address) {
        return !address.getType()->isVectorTy() && address.getNumIndices() == 1 &&
               llvm::getUnderlyingObject(&address)->getType()->getPointerAddressSpace() != kSharedSpace;
    }
    /// In memory of 64-bit addresses nvcc masks in 64 bits what it has scaled in 32.
    static bool scale_wide(llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
        using namespace llvm::PatternMatch;
        llvm::Value* from = nullptr;
        const llvm::APInt* mask = nullptr;
        auto* index = address.getOperand(1);
        const auto size = layout.getTypeAllocSize(address.getResultElementType());
        if (size.isScalable() || !llvm::isPowerOf2_64(size) || size == 1 || !index->getType()->isIntegerTy(64) ||
            !match(index, m_OneUse(m_ZExt(m_OneUse(m_And(m_Value(from), m_APInt(mask)))))) ||
            !from->getType()->isIntegerTy(32) || mask->getActiveBits() + llvm::Log2_64(size) > 31)
            return false;
        const unsigned by = llvm::Log2_64(size);
        const llvm::APInt* added = nullptr;
        llvm::Value* sum = nullptr;
        llvm::IRBuilder<> builder(&address);
        auto* scaled = match(from, m_OneUse(m_Add(m_Value(sum), m_APInt(added))))
                           ? builder.CreateAdd(builder.CreateShl(sum, by), builder.getInt(added->shl(by)))
                           : builder.CreateShl(from, by);
        auto* wide = apart(*builder.CreateZExt(scaled, builder.getInt64Ty()), address);
        auto* made = builder.CreateGEP(builder.getInt8Ty(), address.getPointerOperand(),
                                       builder.CreateAnd(wide, builder.getInt(mask->zext(64).shl(by))));
        address.replaceAllUsesWith(made);
        llvm::RecursivelyDeleteTriviallyDeadInstructions(&address);
        return true;
    }
    static bool scale(llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
        using namespace llvm::PatternMatch;
        llvm::Value* whole = address.getOperand(address.getNumOperands() - 1);
        llvm::Value* index = whole;
        match(whole, m_ZExt(m_Value(index)));
        llvm::Value* from = nullptr;
        const llvm::APInt *added = nullptr, *mask = nullptr;
        const auto size = layout.getTypeAllocSize(address.getResultElementType());
        if (size.isScalable() || !llvm::isPowerOf2_64(size) || size == 1 || !index->getType()->isIntegerTy(32) ||
            !match(index, m_OneUse(m_And(m_OneUse(m_Add(m_Value(from), m_APInt(added))), m_APInt(mask)))) ||
            mask->getActiveBits() + llvm::Log2_64(size) > 31)
            return false;
        const unsigned by = llvm::Log2_64(size);
        llvm::IRBuilder<> builder(&address);
        auto* sum = builder.CreateAdd(builder.CreateShl(from, by), builder.getInt(added->shl(by)));
        auto* scaled = builder.CreateAnd(sum, builder.getInt(mask->shl(by)));
        auto* made = builder.CreateGEP(builder.getInt8Ty(), address.getPointerOperand(),
                                       builder.CreateZExtOrTrunc(scaled, whole->getType()));
        address.replaceAllUsesWith(made);
        llvm::RecursivelyDeleteTriviallyDeadInstructions(&address);
        return true;
    }
};

}  // namespace

void add_offsets(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() == 0) return;
        llvm::FunctionPassManager last;
        last.addPass(ScaleFirst());
        last.addPass(OffsetsLast());
        last.addPass(llvm::EarlyCSEPass());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}
