// A pass for clang, loaded into it as a plugin: divisions by what a loop changes stay divisions, as with nvcc.
//
// clang sees that `s` of `for (s = 1; s < n; s *= 2)` is always a power of two, and makes `t % (2 * s)` an AND and
// `t / s` a shift. nvcc does not, and what such a division costs is a lesson of many texts on reductions. So a division
// whose divisor comes from a loop's variable is a call of a function of no known content while clang's passes run, and
// becomes a division again once the divisor no longer depends on a loop (it was unrolled, the function inlined), or at
// the end.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>

#include <optional>
#include <string>

#include "passes.hpp"

namespace {

constexpr llvm::StringRef kPrefix = "warpwright.division.";
constexpr unsigned kDeepest = 8;

struct Kind {
    llvm::Instruction::BinaryOps operation;
    llvm::StringRef name;
};
constexpr Kind kKinds[] = {{llvm::Instruction::UDiv, "udiv"},
                           {llvm::Instruction::SDiv, "sdiv"},
                           {llvm::Instruction::URem, "urem"},
                           {llvm::Instruction::SRem, "srem"}};

/// Whether a loop, or a caller, may give the value one form in each round.
bool varies(const llvm::Value* value, unsigned depth = 0) {
    if (llvm::isa<llvm::PHINode>(value)) return true;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
        return !argument->getParent()->hasFnAttribute(kKernel);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth == kDeepest) return false;
    if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst>(instruction)) return false;
    for (const auto& operand : instruction->operands())
        if (varies(operand.get(), depth + 1)) return true;
    return false;
}

std::optional<llvm::Instruction::BinaryOps> hidden(const llvm::CallInst& call) {
    const auto* callee = call.getCalledFunction();
    if (!callee || !callee->getName().starts_with(kPrefix)) return std::nullopt;
    for (const auto& kind : kKinds)
        if (callee->getName().drop_front(kPrefix.size()).starts_with(kind.name)) return kind.operation;
    return std::nullopt;
}

void hide(llvm::BinaryOperator& division) {
    auto* type = division.getType();
    std::string name = kPrefix.str();
    for (const auto& kind : kKinds)
        if (kind.operation == division.getOpcode()) name += kind.name;
    name += "." + std::to_string(type->getIntegerBitWidth());
    auto callee = division.getModule()->getOrInsertFunction(name, type, type, type);
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setNoSync();
    function->setDoesNotFreeMemory();
    llvm::IRBuilder<> builder(&division);
    auto* call = builder.CreateCall(callee, {division.getOperand(0), division.getOperand(1)});
    call->takeName(&division);
    division.replaceAllUsesWith(call);
    division.eraseFromParent();
}

void show(llvm::CallInst& call, llvm::Instruction::BinaryOps operation) {
    llvm::IRBuilder<> builder(&call);
    auto* division = builder.CreateBinOp(operation, call.getArgOperand(0), call.getArgOperand(1));
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(division)) made->takeName(&call);
    call.replaceAllUsesWith(division);
    call.eraseFromParent();
}

/// Marks the kernels, which clang 19 tells by an annotation of the module alone.
void mark_kernels(llvm::Module& module) {
    const auto* annotations = module.getNamedMetadata("nvvm.annotations");
    if (!annotations) return;
    for (const auto* entry : annotations->operands()) {
        if (entry->getNumOperands() < 2 || !entry->getOperand(0)) continue;
        auto* function = llvm::mdconst::dyn_extract<llvm::Function>(entry->getOperand(0));
        const auto* word = llvm::dyn_cast<llvm::MDString>(entry->getOperand(1));
        if (function && word && word->getString() == "kernel") function->addFnAttr(kKernel);
    }
}

/// Runs where variables have become values and nothing has looked at divisors yet.
struct HideDivisions : llvm::PassInfoMixin<HideDivisions> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        mark_kernels(module);
        llvm::SmallVector<llvm::BinaryOperator*, 8> found;
        for (auto& function : module) {
            if (function.hasOptNone()) continue;
            for (auto& block : function)
                for (auto& instruction : block)
                    if (auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
                        division && division->isIntDivRem() && division->getType()->isIntegerTy() &&
                        varies(division->getOperand(1)))
                        found.push_back(division);
        }
        for (auto* division : found) hide(*division);
        return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    }
};

/// Runs after each of clang's combinations of instructions, and for all that is left at the end.
struct ShowDivisions : llvm::PassInfoMixin<ShowDivisions> {
    bool all;
    explicit ShowDivisions(bool every) : all(every) {}
    static bool isRequired() { return true; }  // else a function that is not to be optimised would keep the calls
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::CallInst*, 8> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
                    call && hidden(*call) && (all || !varies(call->getArgOperand(1))))
                    found.push_back(call);
        for (auto* call : found) show(*call, *hidden(*call));
        if (found.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }
};

}  // namespace

void add_divisors(llvm::PassBuilder& builder) {
    builder.registerPipelineEarlySimplificationEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
            if (level.getSpeedupLevel() > 0) passes.addPass(HideDivisions());
        });
    builder.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(ShowDivisions(false)); });
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        llvm::FunctionPassManager last;
        last.addPass(ShowDivisions(true));
        last.addPass(llvm::DivRemPairsPass());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}
