// A pass for clang, loaded into it as a plugin: parts of a vector that are read together are read as the whole vector.
//
// Of `float4 a = p[i]` a kernel may use x, y and z. The back end joins x and y and reads z by itself: two requests for
// what nvcc reads in one. nvcc reads all four elements where the first one and the third or fourth are read, of 2 or 4
// bytes each, from a place that is aligned to the whole; so does this pass. What nobody uses is of the same aligned
// piece of memory as what is used, so that it is there to be read.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

constexpr unsigned kElements = 4;

struct ReadWholeVectors : llvm::PassInfoMixin<ReadWholeVectors> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        if (function.hasOptNone()) return llvm::PreservedAnalyses::all();
        const auto& layout = function.getParent()->getDataLayout();
        bool changed = false;
        for (auto& block : function) changed |= read_in(block, layout);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    struct Part {
        llvm::LoadInst* load;
        std::int64_t at;  ///< bytes behind what all parts of a group are behind
    };
    /// What is read of one object, by elements of one size, with no write in between.
    using Group = llvm::SmallVector<Part, 8>;
    using Groups = llvm::MapVector<std::pair<llvm::Value*, unsigned>, Group>;

    static bool read_in(llvm::BasicBlock& block, const llvm::DataLayout& layout) {
        llvm::SmallVector<Group, 8> found;
        Groups open;
        const auto close = [&] {
            for (auto& [place, group] : open) found.push_back(std::move(group));
            open.clear();
        };
        for (auto& instruction : block) {
            if (instruction.mayWriteToMemory()) close();
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (!load || !load->isSimple()) continue;
            auto* type = load->getType();
            const unsigned size = type->isIntegerTy() || type->isFloatTy() ? type->getScalarSizeInBits() / 8 : 0;
            if (size != 2 && size != 4) continue;
            auto* pointer = load->getPointerOperand();
            llvm::APInt at(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
            auto* base = pointer->stripAndAccumulateConstantOffsets(layout, at, true);
            if (base->getType() == pointer->getType()) open[{base, size}].push_back({load, at.getSExtValue()});
        }
        close();
        bool changed = false;
        for (Group& group : found)
            while (group.size() > 1) changed |= join_first(group);
        return changed;
    }
    /// Takes the first part out of the group, with those that are read with it.
    static bool join_first(Group& group) {
        const auto size = static_cast<std::int64_t>(group.front().load->getType()->getScalarSizeInBits() / 8);
        const auto whole = static_cast<std::uint64_t>(size) * kElements;
        for (const Part& leader : group) {
            if (leader.load->getAlign() < llvm::Align(whole)) continue;
            const auto within = [&](const Part& part) {
                const auto far = part.at - leader.at;
                return far >= 0 && far < static_cast<std::int64_t>(whole) && far % size == 0;
            };
            const bool far =
                llvm::any_of(group, [&](const Part& part) { return within(part) && part.at - leader.at >= 2 * size; });
            if (!far || !within(group.front())) continue;
            Group joined, left;
            for (const Part& part : group) (within(part) ? joined : left).push_back(part);
            join(joined, leader);
            group = std::move(left);
            return true;
        }
        group.erase(group.begin());
        return false;
    }
    static void join(const Group& parts, Part leader) {
        auto* first = parts.front().load;  // they stand in the order of the block
        llvm::IRBuilder<> builder(first);
        auto* pointer = leader.load == first
                            ? first->getPointerOperand()
                            : builder.CreateConstGEP1_64(builder.getInt8Ty(), first->getPointerOperand(),
                                                         static_cast<std::uint64_t>(leader.at - parts.front().at));
        const auto bits = first->getType()->getScalarSizeInBits();
        llvm::Type* element = leader.load->getType();
        auto* whole =
            builder.CreateAlignedLoad(llvm::FixedVectorType::get(element, kElements), pointer, leader.load->getAlign());
        if (llvm::all_of(parts,
                         [](const Part& p) { return p.load->hasMetadata(llvm::LLVMContext::MD_invariant_load); }))
            whole->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(whole->getContext(), {}));
        for (const Part& part : parts) {
            llvm::IRBuilder<> here(part.load);
            auto* value =
                here.CreateExtractElement(whole, static_cast<std::uint64_t>(part.at - leader.at) / (bits / 8));
            part.load->replaceAllUsesWith(here.CreateBitCast(value, part.load->getType()));
        }
        for (const Part& part : parts) part.load->eraseFromParent();
    }
};

}  // namespace

void add_gaps(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(ReadWholeVectors()));
    });
}
