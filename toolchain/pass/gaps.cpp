// A pass for clang, loaded into it as a plugin: parts of a vector that are read together are read as the whole vector.
//
// Of `float4 a = p[i]` a kernel may use x, y and z. The back end joins x and y and reads z by itself: two requests for
// what nvcc reads in one. nvcc reads all four elements where the first one and the third or fourth are read, of 1, 2 or
// 4 bytes each, from a place that is aligned to the whole; so does this pass, where all of it is known to be there.
// Of a variable its size says so. Elsewhere the type that was read says so: its size is a multiple of its alignment. An
// alignment that is known of the address itself, as by __builtin_assume_aligned(), says nothing of what lies there.
// A part that the kernel writes by itself is not read along: other threads may write it meanwhile, which would be a
// race that the source does not have. A vector that is written as a whole is another matter: who reads a part of it
// meanwhile has that race already.
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

#include "passes.hpp"

namespace {

constexpr unsigned kElements = 4;

struct Part {
    llvm::LoadInst* load;
    llvm::Value* base;
    std::int64_t at;  ///< bytes behind the base, which all parts of a group share
};

struct ReadWholeVectors : llvm::PassInfoMixin<ReadWholeVectors> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        if (function.hasOptNone()) return llvm::PreservedAnalyses::all();
        const auto& layout = function.getParent()->getDataLayout();
        const Known known{layout, analyses.getResult<llvm::AssumptionAnalysis>(function),
                          analyses.getResult<llvm::DominatorTreeAnalysis>(function), written(function, layout)};
        bool changed = false;
        for (auto& block : function) changed |= read_in(block, known);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    struct Known {
        const llvm::DataLayout& layout;
        llvm::AssumptionCache& assumptions;
        const llvm::DominatorTree& dominators;
        llvm::SmallVector<std::int64_t, 8> written;  ///< bytes behind some place at which the kernel writes

        /// Whether one of the elements behind the leader that nobody reads may be written by itself.
        bool is_written(const Part& leader, llvm::ArrayRef<bool> read, std::int64_t size) const {
            const auto whole = size * kElements;
            return llvm::any_of(written, [&](std::int64_t at) {
                const auto within = ((at - leader.at) % whole + whole) % whole;
                return within % size == 0 && !read[static_cast<std::size_t>(within / size)];
            });
        }
        /// Whether all `whole` bytes from the part on exist, of which its load shows that the first ones do.
        bool is_there(const Part& part, std::uint64_t whole) const {
            if (const auto size = size_of(*part.base))
                return part.at >= 0 && static_cast<std::uint64_t>(part.at) + whole <= *size;
            if (llvm::isa<llvm::GlobalVariable>(part.base)) return false;
            llvm::SmallVector<const llvm::Value*, 4> objects;
            llvm::getUnderlyingObjects(part.base, objects, nullptr, 0);
            return !objects.empty() && llvm::all_of(objects, [&](const llvm::Value* object) {
                // An aligned piece of an aligned object that consists of such pieces.
                if (const auto size = size_of(*object))
                    return object->getPointerAlignment(layout) >= llvm::Align(whole) && *size % whole == 0;
                return llvm::isa<llvm::Argument, llvm::LoadInst>(object) && is_aligned_by_type(*part.load, whole);
            });
        }

    private:
        /// Of variables, but not of those that are defined elsewhere, and of structures that are parameters.
        std::optional<std::uint64_t> size_of(const llvm::Value& object) const {
            std::uint64_t size = 0;
            if (!llvm::isa<llvm::GlobalVariable, llvm::AllocaInst, llvm::Argument>(object) ||
                !llvm::getObjectSize(&object, size, layout, nullptr))
                return {};
            return size;
        }
        bool is_aligned_by_type(llvm::LoadInst& load, std::uint64_t whole) const {
            return llvm::getKnownAlignment(load.getPointerOperand(), layout, &load, &assumptions, &dominators) <
                   llvm::Align(whole);
        }
    };
    struct Write {
        llvm::Value* base;
        std::int64_t from_base;
        std::int64_t at;  ///< behind some place, indices left out
        std::uint64_t size;
        llvm::Align align;
    };
    /// Where the function writes by itself at a constant distance behind an address.
    static llvm::SmallVector<std::int64_t, 8> written(llvm::Function& function, const llvm::DataLayout& layout) {
        llvm::SmallVector<std::int64_t, 8> out;
        for (auto& block : function) {
            llvm::SmallVector<Write, 8> writes;
            for (auto& instruction : block)
                if (auto* pointer = llvm::getPointerOperand(&instruction); pointer && instruction.mayWriteToMemory())
                    writes.push_back(write_of(instruction, *pointer, layout));
            for (const Write& write : writes)
                if (write.at != 0 && !is_of_whole(write, writes)) out.push_back(write.at);
        }
        return out;
    }
    static Write write_of(llvm::Instruction& instruction, llvm::Value& pointer, const llvm::DataLayout& layout) {
        Write write{nullptr, 0, 0, 0, llvm::Align(1)};
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            write.size = layout.getTypeStoreSize(store->getValueOperand()->getType());
            write.align = store->getAlign();
        }
        const auto bits = layout.getIndexTypeSizeInBits(pointer.getType());
        llvm::APInt at(bits, 0);
        write.base = pointer.stripAndAccumulateConstantOffsets(layout, at, true);
        write.from_base = at.getSExtValue();
        if (auto* place = llvm::dyn_cast<llvm::GEPOperator>(write.base)) {
            llvm::MapVector<llvm::Value*, llvm::APInt> by_index;
            llvm::APInt constant(bits, 0);
            if (place->collectOffset(layout, bits, by_index, constant)) at += constant;
        }
        write.at = at.getSExtValue();
        return write;
    }
    /// Whether the block writes all elements of the aligned vector in which this one is.
    static bool is_of_whole(const Write& write, llvm::ArrayRef<Write> writes) {
        const auto whole = write.size * kElements;
        const auto element = [&](const Write& leader, unsigned k) {
            const auto at = leader.from_base + static_cast<std::int64_t>(k * write.size);
            return llvm::any_of(writes, [&](const Write& other) {
                return other.base == leader.base && other.from_base == at && other.size == write.size;
            });
        };
        return llvm::any_of(writes, [&](const Write& leader) {
            const auto far = write.from_base - leader.from_base;
            return write.size != 0 && leader.base == write.base &&
                   leader.align >= llvm::Align(llvm::PowerOf2Ceil(whole)) && far >= 0 &&
                   static_cast<std::uint64_t>(far) < whole && element(leader, 0) && element(leader, 1) &&
                   element(leader, 2) && element(leader, 3);
        });
    }
    /// What is read of one object, by elements of one size, with no write in between.
    using Group = llvm::SmallVector<Part, 8>;
    using Groups = llvm::MapVector<std::pair<llvm::Value*, unsigned>, Group>;

    static bool read_in(llvm::BasicBlock& block, const Known& known) {
        const auto& layout = known.layout;
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
            if (size != 1 && size != 2 && size != 4) continue;
            auto* pointer = load->getPointerOperand();
            llvm::APInt at(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
            auto* base = pointer->stripAndAccumulateConstantOffsets(layout, at, true);
            if (base->getType() == pointer->getType()) open[{base, size}].push_back({load, base, at.getSExtValue()});
        }
        close();
        bool changed = false;
        for (Group& group : found)
            while (group.size() > 1) changed |= join_first(group, known);
        return changed;
    }
    /// Takes the first part out of the group, with those that are read with it.
    static bool join_first(Group& group, const Known& known) {
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
            if (!far || !within(group.front()) || !known.is_there(leader, whole)) continue;
            bool read[kElements] = {};
            for (const Part& part : group)
                if (within(part)) read[static_cast<std::size_t>((part.at - leader.at) / size)] = true;
            if (known.is_written(leader, read, size)) continue;
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
