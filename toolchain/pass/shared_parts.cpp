// A pass for clang, loaded into it as a plugin: elements of parts of shared memory have the addresses that nvcc makes.
//
// A kernel that gets its shared memory by one array shares it out: `float *b = s + n, *c = b + n`. clang keeps the
// address of each part and adds the index to it. nvcc has forgotten the parts: it takes `b[i]` for `s[n + i]`, and of
// further elements by the same index, such as `c[i]`, what lies between them. Where s[i] itself comes first, the others
// are distances from it, which is what clang makes, too.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Local.h>

#include "expansion.hpp"
#include "passes.hpp"

namespace {

constexpr unsigned kPartAddressBits = 32;

struct JoinParts : llvm::PassInfoMixin<JoinParts> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        const auto& layout = function.getParent()->getDataLayout();
        if (layout.getPointerSizeInBits(kSharedSpace) != kPartAddressBits || function.hasOptNone())
            return llvm::PreservedAnalyses::all();
        Search search{analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                      analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                      analyses.getResult<llvm::LoopAnalysis>(function),
                      layout,
                      {}};
        llvm::SmallVector<Element, 16> elements;
        for (auto* node : llvm::depth_first(search.dominators.getRootNode()))
            for (auto& instruction : *node->getBlock())
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
                    search.add(*address, elements);
        llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced;
        for (const Element& element : elements)
            if (auto* made = search.join(element)) {
                search.evolution.forgetValue(element.address);
                element.address->replaceAllUsesWith(made);
                replaced.emplace_back(element.address);
            }
        if (replaced.empty()) return llvm::PreservedAnalyses::all();
        llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// An element of a part of shared memory.
    struct Element {
        llvm::GetElementPtrInst* address;
        llvm::Value* whole;       ///< the array that all parts are of
        const llvm::SCEV* part;   ///< where the part starts, in elements
        const llvm::SCEV* index;  ///< within it
        const llvm::Loop* loop;   ///< in whose rounds the index is the same; null where it does not change
    };
    struct First {
        Element element;
        llvm::Instruction* address;
    };
    struct Search {
        llvm::DominatorTree& dominators;
        llvm::ScalarEvolution& evolution;
        llvm::LoopInfo& loops;
        const llvm::DataLayout& layout;
        llvm::SmallVector<First, 16> firsts;

        void add(llvm::GetElementPtrInst& address, llvm::SmallVectorImpl<Element>& elements) {
            if (address.getAddressSpace() != kSharedSpace || address.getType()->isVectorTy() ||
                address.hasAllConstantIndices() || !is_of_one_index(address))
                return;
            const auto* loop = loops.getLoopFor(address.getParent());
            const auto* index = in_32_bits(last_index(address));
            // A loop's own walk over an array is the back end's.
            if (llvm::isa<llvm::SCEVAddRecExpr>(evolution.getSCEV(&address))) return;
            Element element{&address, address.getPointerOperand(), nullptr, index,
                            loop && !evolution.isLoopInvariant(index, loop) ? loop : nullptr};
            element.part = start_of(element.whole, address.getResultElementType());
            if (element.part) elements.push_back(element);
        }
        /// The address that stands for the element's; null where that stays.
        llvm::Value* join(const Element& element) {
            for (const First& first : firsts)
                if (first.element.whole == element.whole && first.element.index == element.index &&
                    first.element.loop == element.loop &&
                    first.element.address->getResultElementType() == element.address->getResultElementType() &&
                    dominators.dominates(first.address, element.address))
                    return behind(first, element);
            auto* made = element.part->isZero() ? element.address : in_whole(element);
            if (made) firsts.push_back({element, made});
            return made == element.address ? nullptr : made;
        }

    private:
        static llvm::Value* last_index(const llvm::User& step) { return step.getOperand(step.getNumOperands() - 1); }
        /// Whether the step is one from element to element: its first indices are zero.
        template <class Step>
        static bool is_of_one_index(const Step& step) {
            return llvm::all_of(llvm::drop_end(step.indices()), [](const llvm::Use& index) {
                const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index.get());
                return number && number->isZero();
            });
        }
        const llvm::SCEV* in_32_bits(llvm::Value* number) {
            return evolution.getTruncateOrNoop(evolution.getSCEV(number), llvm::Type::getInt32Ty(number->getContext()));
        }
        /// How many elements the pointer lies behind the start of the array, which it becomes; null where that is not
        /// known.
        const llvm::SCEV* start_of(llvm::Value*& pointer, llvm::Type* type) {
            const auto size = layout.getTypeAllocSize(type).getFixedValue();
            const llvm::SCEV* sum = evolution.getZero(llvm::Type::getInt32Ty(type->getContext()));
            while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
                llvm::APInt constant(kPartAddressBits, 0);
                if (step->accumulateConstantOffset(layout, constant)) {
                    if (size == 0 || constant.srem(size) != 0) return nullptr;
                    sum = evolution.getAddExpr(sum, evolution.getConstant(constant.sdiv(llvm::APInt(32, size))));
                } else if (is_of_one_index(*step) &&
                           layout.getTypeAllocSize(step->getResultElementType()).getFixedValue() == size) {
                    sum = evolution.getAddExpr(sum, in_32_bits(last_index(*step)));
                } else {
                    return nullptr;
                }
                pointer = step->getPointerOperand();
            }
            return llvm::isa<llvm::GlobalVariable>(pointer) && !llvm::isa<llvm::SCEVCouldNotCompute>(sum) &&
                           (sum->isZero() || !llvm::isa<llvm::SCEVConstant>(sum))
                       ? sum
                       : nullptr;
        }
        llvm::Instruction* in_whole(const Element& element) {
            auto* value = value_at(element.part, *element.address, evolution, dominators);
            auto* index = value_at(element.index, *element.address, evolution, dominators);
            if (!value || !index) return nullptr;
            llvm::IRBuilder<> builder(element.address);
            return llvm::dyn_cast<llvm::Instruction>(builder.CreateGEP(element.address->getResultElementType(),
                                                                       element.whole, builder.CreateAdd(index, value)));
        }
        llvm::Value* behind(const First& first, const Element& element) {
            const auto* distance = evolution.getMinusSCEV(element.part, first.element.part);
            if (distance->isZero()) return first.address;
            auto* value = value_at(distance, *element.address, evolution, dominators);
            if (!value) return nullptr;
            llvm::IRBuilder<> builder(element.address);
            return builder.CreateGEP(element.address->getResultElementType(), first.address, value);
        }
    };
};

}  // namespace

void add_shared_parts(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        llvm::FunctionPassManager last;
        last.addPass(JoinParts());
        last.addPass(llvm::EarlyCSEPass(true));
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}
