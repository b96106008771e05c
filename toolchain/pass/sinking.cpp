// A pass for clang, loaded into it as a plugin: what all sides of a branch end with is done once, behind them, as by
// nvcc.
//
// `if (a) o[k] = f; else if (b) o[k] = g; else o[k] = h;` has one store in nvcc's PTX, whose value is chosen, and so
// has `if (a) o[k] = 1; else o[k + 1] = 1;`, whose index is. A warp whose lanes part asks once for what would be two or
// three requests. nvcc does so where more instructions go than values have to be chosen, and never chooses an array.
// clang's own pass, which looks at each instruction by itself, is turned off by a flag
// (src/compile/kernel/command.cpp).
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "passes.hpp"

namespace {

constexpr unsigned kDeepestAlike = 4;  // of what sides compute alike

using Row = llvm::SmallVector<llvm::Instruction*, 4>;  // one instruction of each side

struct SinkCommonEnds : llvm::PassInfoMixin<SinkCommonEnds> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        if (function.hasOptNone()) return llvm::PreservedAnalyses::all();
        const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        bool changed = false;
        for (auto& block : function)
            if (!loops.isLoopHeader(&block)) changed |= sink_into(block);
        if (!changed) return llvm::PreservedAnalyses::all();
        choose_short_sides(function);  // sides that have lost their ends may be short now
        return llvm::PreservedAnalyses::none();
    }

private:
    static bool sink_into(llvm::BasicBlock& meet) {
        llvm::SmallVector<llvm::BasicBlock*, 4> sides(llvm::predecessors(&meet));
        if (sides.size() < 2) return false;
        for (const auto* side : sides)
            if (const auto* end = llvm::dyn_cast<llvm::BranchInst>(side->getTerminator()); !end || end->isConditional())
                return false;
        const auto rows = rows_of(sides);
        for (std::size_t count = rows.size(); count > 0; --count) {
            const auto some = llvm::ArrayRef(rows).take_front(count);
            const auto chosen = chosen_values(some);
            if (!chosen || *chosen >= count || is_left_apart(some, meet) || !is_closed(some, meet)) continue;
            for (const Row& row : some) sink(row, meet);
            return true;
        }
        return false;
    }
    /// What the sides have in common, from their ends on.
    static llvm::SmallVector<Row, 8> rows_of(llvm::ArrayRef<llvm::BasicBlock*> sides) {
        llvm::SmallVector<Row, 8> rows;
        Row row;
        for (auto* side : sides) row.push_back(before(*side->getTerminator()));
        while (llvm::all_of(row, [](const auto* instruction) { return instruction != nullptr; }) && is_same(row)) {
            rows.push_back(row);
            for (auto*& instruction : row) instruction = before(*instruction);
        }
        return rows;
    }
    static llvm::Instruction* before(llvm::Instruction& instruction) {
        return instruction.getPrevNonDebugInstruction();
    }
    /// One operation for all sides.
    static bool is_same(const Row& row) {
        const auto& first = *row.front();
        if (!llvm::isa<llvm::StoreInst, llvm::LoadInst, llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(
                first) ||
            first.isVolatile() || first.isAtomic())
            return false;
        return llvm::all_of(row, [&](const llvm::Instruction* other) {
            return other->isSameOperationAs(&first) && other->getNumOperands() == first.getNumOperands();
        });
    }
    /// How many values have to be chosen if these rows are sunk; nothing where one may not be.
    static std::optional<std::size_t> chosen_values(llvm::ArrayRef<Row> rows) {
        llvm::SmallVector<llvm::SmallVector<llvm::Value*, 4>, 8> chosen;
        for (const Row& row : rows)
            for (unsigned k = 0; k < row.front()->getNumOperands(); ++k) {
                const auto values = operands(row, k);
                if (is_one(values, 0) || llvm::any_of(rows, [&](const Row& other) { return is(values, other); }))
                    continue;
                if (!may_be_chosen(*row.front(), k, values)) return {};
                // (A choice of places at constant distances stands for a choice of indices, and for its address.)
                if (!values.front()->getType()->isPointerTy() && !llvm::is_contained(chosen, values))
                    chosen.push_back(values);
            }
        return chosen.size();
    }
    /// What two sides of a kernel's last branch write first, to one place, stays apart; and so does what several write,
    /// if a side has computed the index for other reasons.
    static bool is_left_apart(llvm::ArrayRef<Row> rows, const llvm::BasicBlock& meet) {
        if (!llvm::isa<llvm::ReturnInst>(meet.front())) return false;
        const bool is_computed_in_sides = llvm::any_of(rows, [&](const Row& row) {
            return llvm::any_of(llvm::seq(0u, row.front()->getNumOperands()), [&](unsigned k) {
                const auto values = operands(row, k);
                return !llvm::all_equal(values) && is_one(values, 0) &&
                       llvm::none_of(rows, [&](const Row& other) { return is(values, other); });
            });
        });
        if (rows.front().size() > 2 && !is_computed_in_sides) return false;
        return llvm::all_of(rows, [&](const Row& row) {
            const auto* store = llvm::dyn_cast<llvm::StoreInst>(row.front());
            if (!store)
                return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst>(row.front()) && is_one(values_of(row), 0);
            return is_one(operands(row, llvm::StoreInst::getPointerOperandIndex()), 0) &&
                   llvm::none_of(llvm::make_range(store->getParent()->begin(), store->getIterator()),
                                 [](const llvm::Instruction& other) { return other.mayWriteToMemory(); });
        });
    }
    static llvm::SmallVector<llvm::Value*, 4> values_of(const Row& row) { return {row.begin(), row.end()}; }
    static bool is(llvm::ArrayRef<llvm::Value*> values, const Row& row) {
        return std::equal(values.begin(), values.end(), row.begin(), row.end());
    }
    /// Whether the sides compute the same: casts and addresses are made anew behind them.
    static bool is_one(llvm::ArrayRef<llvm::Value*> values, unsigned depth) {
        if (llvm::all_equal(values)) return true;
        const auto* first = llvm::dyn_cast<llvm::Instruction>(values.front());
        if (!first || depth == kDeepestAlike || !llvm::isa<llvm::CastInst, llvm::GetElementPtrInst>(first))
            return false;
        for (const auto* value : values)
            if (const auto* other = llvm::dyn_cast<llvm::Instruction>(value);
                !other || !other->isSameOperationAs(first) || other->getNumOperands() != first->getNumOperands())
                return false;
        return llvm::all_of(llvm::seq(0u, first->getNumOperands()),
                            [&](unsigned k) { return is_one(operands(values, k), depth + 1); });
    }
    template <class Values>
    static llvm::SmallVector<llvm::Value*, 4> operands(const Values& users, unsigned k) {
        llvm::SmallVector<llvm::Value*, 4> values;
        for (auto* user : users) values.push_back(llvm::cast<llvm::Instruction>(user)->getOperand(k));
        return values;
    }
    /// A value, an index, or places at constant distances; but not an array, nor a field of a structure.
    static bool may_be_chosen(const llvm::Instruction& instruction, unsigned operand,
                              llvm::ArrayRef<llvm::Value*> values) {
        const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        if (address && (address->getNumIndices() != 1 || operand != 1)) return false;
        if (!values.front()->getType()->isPointerTy()) return true;
        const auto& layout = instruction.getModule()->getDataLayout();
        const auto start = [&](const llvm::Value* value) {
            llvm::APInt far(layout.getIndexTypeSizeInBits(value->getType()), 0);
            return value->stripAndAccumulateConstantOffsets(layout, far, true);
        };
        return operand == pointer_operand(instruction) &&
               llvm::all_of(values, [&](const llvm::Value* value) { return start(value) == start(values.front()); });
    }
    static unsigned pointer_operand(const llvm::Instruction& instruction) {
        return llvm::isa<llvm::StoreInst>(instruction) ? llvm::StoreInst::getPointerOperandIndex()
                                                       : llvm::LoadInst::getPointerOperandIndex();
    }
    /// Whether nobody but these rows, and what chooses behind the sides, uses what they compute.
    static bool is_closed(llvm::ArrayRef<Row> rows, llvm::BasicBlock& meet) {
        return llvm::all_of(rows, [&](const Row& row) {
            for (std::size_t side = 0; side < row.size(); ++side)
                for (const auto& use : row[side]->uses()) {
                    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
                    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
                    const bool among = llvm::any_of(rows, [&](const Row& other) {
                        return other[side] == user && llvm::all_of(llvm::seq<std::size_t>(0, row.size()), [&](auto k) {
                                   return other[k]->getOperand(use.getOperandNo()) == row[k];
                               });
                    });
                    if (!among && !(phi && phi->getParent() == &meet && chooses(*phi, row))) return false;
                }
            return true;
        });
    }
    static bool chooses(const llvm::PHINode& phi, const Row& row) {
        return llvm::all_of(row, [&](const llvm::Instruction* instruction) {
            return phi.getIncomingValueForBlock(instruction->getParent()) == instruction;
        });
    }
    /// Moves the first side's instruction, and takes the others out.
    static void sink(const Row& row, llvm::BasicBlock& meet) {
        auto* kept = row.front();
        llvm::SmallVector<llvm::PHINode*, 2> gone;
        for (auto& phi : meet.phis())
            if (chooses(phi, row)) gone.push_back(&phi);
        llvm::SmallVector<std::pair<unsigned, llvm::SmallVector<llvm::Value*, 4>>, 2> anew;
        for (unsigned k = 0; k < kept->getNumOperands(); ++k) {
            const auto values = operands(row, k);
            if (llvm::all_equal(values)) continue;
            if (is_one(values, 0))
                anew.emplace_back(k, values);
            else
                kept->setOperand(k, choose(values, row, meet));
        }
        kept->moveBefore(&*meet.getFirstInsertionPt());
        for (const auto& [k, values] : anew) kept->setOperand(k, make_anew(values, *kept));
        for (auto* phi : gone) {
            phi->replaceAllUsesWith(kept);
            phi->eraseFromParent();
        }
        for (auto* other : llvm::ArrayRef(row).drop_front()) {
            kept->andIRFlags(other);
            llvm::combineMetadataForCSE(kept, other, true);
            kept->applyMergedLocation(kept->getDebugLoc(), other->getDebugLoc());
            other->eraseFromParent();
        }
    }
    static llvm::Value* choose(llvm::ArrayRef<llvm::Value*> values, const Row& row, llvm::BasicBlock& meet) {
        auto* phi = llvm::PHINode::Create(values.front()->getType(), static_cast<unsigned>(values.size()), "chosen",
                                          meet.begin());
        for (const auto& [instruction, value] : llvm::zip_equal(row, values))
            phi->addIncoming(value, instruction->getParent());
        return phi;
    }
    /// What all sides compute alike, in front of an instruction behind them. (What some of the sides share need not be
    /// computed on the way to the others.)
    static llvm::Value* make_anew(llvm::ArrayRef<llvm::Value*> values, llvm::Instruction& before) {
        if (llvm::all_equal(values)) return values.front();
        auto* made = llvm::cast<llvm::Instruction>(values.front())->clone();
        made->insertBefore(&before);
        for (auto* other : values.drop_front()) made->andIRFlags(other);
        for (unsigned k = 0; k < made->getNumOperands(); ++k)
            made->setOperand(k, make_anew(operands(values, k), *made));
        return made;
    }
};

}  // namespace

void add_sinking(llvm::PassBuilder& builder) {
    builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(SinkCommonEnds());
    });
}
