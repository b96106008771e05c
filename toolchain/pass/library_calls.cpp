// Passes for clang, loaded into it as a plugin, that say what the compile room would else see in the PTX text: whether
// a module calls functions of libclc, and whether it has constant memory.
//
// libclc is linked only for modules that call it, and both kinds of modules have long addresses (docs/compile.md).
// "needs": where the module may call it, the compiler ends before it optimises anything, with a line that says so, and
// the compile room runs it again with the library. Calls that the optimiser would have removed are there at that time,
// so the second run says whether the library's code was needed ("library_use"): what comes from it is marked, and a
// line says where a mark is left behind the optimiser.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <cstdlib>

#include "passes.hpp"

namespace {

// What the compile room asks by and reads (compile/kernel/early_needs.cpp).
constexpr const char* kVariable = "WARPWRIGHT_PASS_ASKS";
constexpr llvm::StringLiteral kMayCall = "warpwright: may call the library\n",
                              kConstants = "warpwright: has constants\n", kUsed = "warpwright: used the library\n";
constexpr llvm::StringLiteral kMark = "warpwright.library";

/// A function that the module calls and another one must have: by its name one of libclc's, or of another file's.
bool is_missing(const llvm::Function& function) {
    const auto name = function.getName();
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() || !name.starts_with("_Z"))
        return false;
    // operator new, new[], delete and delete[] come from a header.
    return llvm::none_of(std::initializer_list<llvm::StringRef>{"_Znw", "_Zna", "_Zdl", "_Zda"},
                         [&](llvm::StringRef start) { return name.starts_with(start); });
}

/// A variable in constant memory whose addresses are short, and which no optimiser may remove, as the host knows it.
bool is_constant(const llvm::GlobalVariable& variable) {
    constexpr unsigned kConstantSpace = 4;
    return variable.getAddressSpace() == kConstantSpace && variable.hasInitializer() && variable.hasExternalLinkage() &&
           variable.getParent()->getDataLayout().getPointerSize(kConstantSpace) == 4;
}

struct SayNeeds : llvm::PassInfoMixin<SayNeeds> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        const bool calls = llvm::any_of(module, is_missing), constants = llvm::any_of(module.globals(), is_constant);
        if (!calls && !constants) return llvm::PreservedAnalyses::all();
        if (calls) llvm::errs() << kMayCall;
        if (constants) llvm::errs() << kConstants;
        // Nothing that the compiler would still do is wanted.
        ::_exit(0);
    }
    static bool isRequired() { return true; }
};

/// The functions that a body names.
template <class Visit>
void each_function_of(const llvm::Function& function, Visit visit) {
    llvm::SmallVector<const llvm::User*, 32> users;
    llvm::SmallPtrSet<const llvm::User*, 32> seen;
    for (const auto& block : function)
        for (const auto& instruction : block) users.push_back(&instruction);
    while (!users.empty())
        for (const llvm::Value* operand : users.pop_back_val()->operands()) {
            if (const auto* other = llvm::dyn_cast<llvm::Function>(operand))
                visit(*other);
            else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
                     constant && seen.insert(constant).second)
                users.push_back(constant);
        }
}

/// Whether a function that is internal now was linked from libclc, by its name: a plain one without arguments of a
/// template. A source's own have such names only where a template or an unnamed namespace made them internal.
bool is_from_library(const llvm::Function& function) {
    auto name = function.getName();
    if (!function.hasLocalLinkage() || !name.consume_front("_Z")) return false;
    std::size_t length = 0;
    if (name.consumeInteger(10, length) || length >= name.size()) return false;
    return name[length] != 'I' && !name.contains("_GLOBAL__N_");
}

struct MarkLibrary : llvm::PassInfoMixin<MarkLibrary> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        llvm::SmallVector<llvm::Function*, 16> found;
        llvm::SmallPtrSet<const llvm::Function*, 16> seen;
        const auto take = [&](const llvm::Function& function) {
            if (!function.isDeclaration() && seen.insert(&function).second)
                found.push_back(const_cast<llvm::Function*>(&function));
        };
        for (auto& function : module)
            if (is_from_library(function)) take(function);
        auto* const mark = llvm::MDNode::get(module.getContext(), {});
        while (!found.empty()) {
            auto& function = *found.pop_back_val();
            for (auto& block : function)
                for (auto& instruction : block) instruction.setMetadata(kMark, mark);
            each_function_of(function, take);
        }
        return llvm::PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct TellLibrary : llvm::PassInfoMixin<TellLibrary> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        llvm::SmallVector<const llvm::Function*, 16> reached;
        llvm::SmallPtrSet<const llvm::Function*, 16> seen;
        const auto take = [&](const llvm::Function& function) {
            if (seen.insert(&function).second) reached.push_back(&function);
        };
        for (const auto& function : module)
            if (!function.hasLocalLinkage() && !function.isDeclaration()) take(function);
        for (bool used = false; !used && !reached.empty();) {
            const auto& function = *reached.pop_back_val();
            used = is_missing(function) || is_marked(function);
            if (used) llvm::errs() << kUsed;
            each_function_of(function, take);
        }
        return llvm::PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }

private:
    static bool is_marked(const llvm::Function& function) {
        for (const auto& block : function)
            for (const auto& instruction : block)
                if (instruction.getMetadata(kMark)) return true;
        return false;
    }
};

}  // namespace

void add_library_calls(llvm::PassBuilder& builder) {
    const char* const wanted = std::getenv(kVariable);
    const llvm::StringRef asked(wanted ? wanted : "");
    if (asked == "needs")
        return builder.registerPipelineStartEPCallback(
            [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(SayNeeds()); });
    if (asked != "library_use") return;
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(MarkLibrary()); });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(TellLibrary()); });
}
