// Numbers that clang's analysis of loops knows, as values.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

/// The number as a value in front of an instruction; null where something that it is made of is not known there.
inline llvm::Value* value_at(const llvm::SCEV* number, llvm::Instruction& before, llvm::ScalarEvolution& evolution,
                             const llvm::DominatorTree& dominators) {
    llvm::SCEVExpander expander(evolution, before.getModule()->getDataLayout(), "number");
    const bool is_known = !llvm::SCEVExprContains(number, [&](const llvm::SCEV* part) {
        if (const auto* changing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part))
            return !changing->getLoop()->contains(&before);
        const auto* value = llvm::dyn_cast<llvm::SCEVUnknown>(part);
        const auto* made = value ? llvm::dyn_cast<llvm::Instruction>(value->getValue()) : nullptr;
        return made && !dominators.dominates(made, &before);
    });
    return is_known && expander.isSafeToExpand(number) ? expander.expandCodeFor(number, number->getType(), &before)
                                                       : nullptr;
}
