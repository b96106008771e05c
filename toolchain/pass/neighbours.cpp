// A pass for clang, loaded into it as a plugin: elements at constant distances from each other have one address.
//
// An index such as `(i - 1) * 512 + j + 1` is a sum of a part that only the launch knows and of a constant. nvcc puts
// the constant last and then cannot tell that the sum does not overflow, unless the source has added it last itself
// (`a[k - 1]`; the back end takes those apart). What it makes of elements of one array with the same first part was
// found by compiling 40 kernels with it:
// - A constant above zero is added to the address of the first part, which is computed even where nobody reads there.
// - A first constant below zero is added to the index. Elements behind that one are at a distance from its address; the
//   element without a constant has an address of its own.
// - With a smaller constant later, all are at distances from the address of the first part; so they are with an element
//   without constant, if the first part has no product by a constant but those of parameters.
// - Where the first part has a product that is subtracted, the first constant is added to the index in any case.
// - What the source has added last is at a distance from the element without a constant, or else from the first one.
//
// What this stands on: for an index T of 32 bits and its constant C the address becomes that of T - C, in 32 bits, and
// C elements more. It is the same address exactly if T - C does not overflow, so another one only for an index within
// |C| elements of -2^31 or of 2^31 - 1. Nothing in the code excludes such an index. It needs an array of which 2^31 -
// |C| elements lie on one side of the pointer, and nvcc's PTX has the same sums there, also of unsigned numbers that
// become an int, by constants up to 2^30. Here constants above kMostDistance, as hashes add them, stay in the index.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>
#include <tuple>

#include "expansion.hpp"
#include "passes.hpp"

namespace {

constexpr std::int64_t kMostDistance = 1 << 24;  // in elements

struct ShareAddresses : llvm::PassInfoMixin<ShareAddresses> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        Groups groups;
        for (auto* node : llvm::depth_first(dominators.getRootNode()))
            for (auto& instruction : *node->getBlock())
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
                    add(*address, loops.getLoopFor(node->getBlock()), groups, evolution);
        llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced;
        for (const auto& [place, group] : groups) rewrite(place, group, dominators, evolution, replaced);
        if (replaced.empty()) return llvm::PreservedAnalyses::all();
        llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// An element at a constant number of elements behind the first part of its index.
    struct Element {
        llvm::GetElementPtrInst* address;
        llvm::APInt constant;
        bool added_last;  ///< by the source itself
    };
    /// Array, type, first part of the index, and the innermost loop of which it is an index in each round.
    using Place = std::tuple<llvm::Value*, llvm::Type*, const llvm::SCEV*, const llvm::Loop*>;
    using Groups = llvm::MapVector<Place, llvm::SmallVector<Element, 4>, std::map<Place, unsigned>>;

    static void add(llvm::GetElementPtrInst& address, const llvm::Loop* loop, Groups& groups,
                    llvm::ScalarEvolution& evolution) {
        auto* index = index_of(address);
        if (!index) return;
        const auto* number = evolution.getSCEV(index);
        const bool changes = evolution.containsAddRecurrence(number);
        // Innermost loops walk over their arrays.
        if (changes && (!loop || loop->isInnermost())) return;
        const auto* constant = constant_of(number);
        if (constant && constant->getAPInt().abs().ugt(kMostDistance)) return;
        const auto* first = constant ? evolution.getMinusSCEV(number, constant) : number;
        if (llvm::isa<llvm::SCEVConstant>(first)) return;
        groups[{address.getPointerOperand(), address.getSourceElementType(), first, changes ? loop : nullptr}]
            .push_back({&address, constant ? constant->getAPInt() : llvm::APInt(32, 0),
                        constant && is_added_last(*index, evolution)});
    }
    /// The 32-bit index of an element of an array in global memory; null where there is none.
    static llvm::Value* index_of(const llvm::GetElementPtrInst& address) {
        if (address.getNumIndices() != 1 || address.getType()->isVectorTy() ||
            address.getPointerAddressSpace() == kSharedSpace)
            return nullptr;
        auto* wide = llvm::dyn_cast<llvm::SExtInst>(address.getOperand(1));
        return wide && wide->getOperand(0)->getType()->isIntegerTy(32) ? wide->getOperand(0) : nullptr;
    }
    static const llvm::SCEVConstant* constant_of(const llvm::SCEV* number) {
        while (const auto* changing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number)) number = changing->getStart();
        const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(number);
        return sum ? llvm::dyn_cast<llvm::SCEVConstant>(sum->getOperand(0)) : nullptr;
    }
    /// Whether the source itself adds the constant last, to a sum that has none.
    static bool is_added_last(llvm::Value& index, llvm::ScalarEvolution& evolution) {
        const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&index);
        if (!sum || !llvm::isa<llvm::ConstantInt>(sum->getOperand(1))) return false;
        const bool exact = sum->getOpcode() == llvm::Instruction::Add
                               ? sum->hasNoSignedWrap()
                               : sum->getOpcode() == llvm::Instruction::Or &&
                                     llvm::cast<llvm::PossiblyDisjointInst>(sum)->isDisjoint();
        return exact && !constant_of(evolution.getSCEV(sum->getOperand(0)));
    }
    /// Whether the first part has a product by such a constant.
    template <class Such>
    static bool has_product(const llvm::SCEV* number, Such such) {
        return llvm::SCEVExprContains(number, [&](const llvm::SCEV* part) {
            const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(part);
            const auto* constant = product ? llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0)) : nullptr;
            return constant && !constant->getAPInt().isAllOnes() && such(*constant, *product->getOperand(1));
        });
    }
    static bool has_product_by_constant(const llvm::SCEV* number) {
        return has_product(number, [](const llvm::SCEVConstant&, const llvm::SCEV& other) {
            const auto* value = llvm::dyn_cast<llvm::SCEVUnknown>(&other);
            return !value || !llvm::isa<llvm::Argument>(value->getValue());
        });
    }
    static bool is_subtracted_from(const llvm::SCEV* number) {
        return has_product(number, [](const llvm::SCEVConstant& constant, const llvm::SCEV&) {
            return constant.getAPInt().isNegative();
        });
    }
    static void rewrite(const Place& place, llvm::ArrayRef<Element> group, llvm::DominatorTree& dominators,
                        llvm::ScalarEvolution& evolution, llvm::SmallVectorImpl<llvm::WeakTrackingVH>& replaced) {
        const auto is_put_together = [](const Element& e) { return !e.constant.isZero() && !e.added_last; };
        const auto* first = llvm::find_if(group, is_put_together);
        if (first == group.end()) return;
        const bool with_zero = llvm::any_of(group, [](const Element& e) { return e.constant.isZero(); });
        const auto* part = std::get<const llvm::SCEV*>(place);
        const bool by_first_part =
            !is_subtracted_from(part) &&
            (first->constant.isStrictlyPositive() ||
             llvm::any_of(group,
                          [&](const Element& e) { return is_put_together(e) && e.constant.slt(first->constant); }) ||
             (with_zero && !has_product_by_constant(part)));
        // Where something is subtracted, one element by itself keeps the source's sum, which others may share.
        if (group.size() == 1 && is_subtracted_from(part)) return;
        const llvm::APInt from = by_first_part ? llvm::APInt(32, 0) : first->constant;
        llvm::SmallVector<llvm::Instruction*, 4> made;  // addresses of the element `from`
        for (const auto& [address, constant, added_last] : group) {
            if (constant.isZero() && !by_first_part) continue;
            if (added_last && (by_first_part || with_zero || made.empty() || constant.slt(from))) continue;
            const auto* found = llvm::find_if(
                made, [&](const llvm::Instruction* known) { return dominators.dominates(known, address); });
            llvm::Instruction* base =
                found == made.end() ? address_at(place, from, *address, dominators, evolution) : *found;
            if (!base) return;
            if (found == made.end()) made.push_back(base);
            llvm::IRBuilder<> builder(address);
            const auto distance = constant.sext(64) - from.sext(64);
            evolution.forgetValue(address);
            address->replaceAllUsesWith(
                distance.isZero() ? base
                                  : builder.CreateGEP(std::get<llvm::Type*>(place), base, builder.getInt(distance)));
            replaced.emplace_back(address);
        }
    }
    /// The address of the element at the first part and a constant, in front of another one.
    static llvm::Instruction* address_at(const Place& place, const llvm::APInt& constant, llvm::Instruction& before,
                                         llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution) {
        const auto& [array, type, first, loop] = place;
        llvm::IRBuilder<> builder(&before);
        auto* index = value_at(first, before, evolution, dominators);
        if (!index) return nullptr;
        if (!constant.isZero()) index = builder.CreateAdd(index, builder.getInt(constant));
        return llvm::dyn_cast<llvm::Instruction>(
            builder.CreateGEP(type, array, builder.CreateSExt(index, builder.getInt64Ty())));
    }
};

}  // namespace

void add_neighbours(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(ShareAddresses()));
    });
}
