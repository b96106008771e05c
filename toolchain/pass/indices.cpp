// A pass for clang, loaded into it as a plugin: in a loop over k, accesses such as `b[k * n + x]` are made through a
// pointer that goes from access to access, as by nvcc.
//
// The index is computed in 32 bits. clang's analysis of loops forgets that it does not overflow where x is a sum itself
// (`blockIdx.x * blockDim.x + threadIdx.x`) or where a sum was put together anew, and the back end then computes the
// address anew in each round: an addition, a multiplication and another addition in place of one. Nobody has to know of
// overflow where the loop reads or writes each of the addresses in each round: indices of elements that exist differ by
// less than 2^31, so that their distance in 64 bits is the one in 32 bits.
//
// Where no access goes by the loop's own counter (`a[k]`, `a[i * n + k]`), and all go by constant strides, nvcc keeps
// their indices in 32 bits and makes an address of each in each round; so does this pass.
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <utility>

#include "passes.hpp"

namespace {

constexpr unsigned kDeepest = 6;
constexpr int kFewCopies = 4;

struct WalkOverArrays : llvm::PassInfoMixin<WalkOverArrays> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty()) return llvm::PreservedAnalyses::all();
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        bool changed = false;
        for (auto* loop : loops.getLoopsInPreorder())
            if (loop->isInnermost() && loop->getLoopPreheader() && loop->getNumBlocks() == 1)
                changed |= walk_in(*loop, evolution);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    using Access = std::pair<llvm::GetElementPtrInst*, const llvm::SCEVAddRecExpr*>;
    using Accesses = llvm::SmallVector<Access, 4>;
    /// Accesses of one array whose indices keep their distances from round to round.
    struct Walk {
        llvm::Value* base;
        llvm::Type* element;
        const llvm::SCEV* step;
        Accesses accesses;
    };
    /// Loops of one block: a pointer goes from access to access, and from the last one to the first one of the next
    /// round.
    static bool walk_in(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        // Of a loop that we have unrolled the back end does not see how often it goes round (LeaveToPtxas in
        // unroll.cpp), and so not that indices do not overflow.
        const bool rest = llvm::getBooleanLoopAttribute(&loop, kRest);
        const bool unrolled = rest || llvm::getBooleanLoopAttribute(&loop, kUnrolled);
        llvm::SmallVector<Walk, 4> walks;
        for (auto& instruction : *loop.getHeader()) {
            auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
            if (!address || address->getNumIndices() != 1 || changes(address->getPointerOperand(), loop)) continue;
            auto* wide = llvm::dyn_cast<llvm::SExtInst>(address->getOperand(1));
            if (!wide || !loop.contains(wide) || !is_sum(*wide, *address, loop, evolution, unrolled)) continue;
            const auto* index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(wide->getOperand(0)));
            if (!index || index->getLoop() != &loop || !index->isAffine()) continue;
            const auto* step = index->getStepRecurrence(evolution);
            auto found = llvm::find_if(walks, [&](const Walk& walk) {
                return walk.base == address->getPointerOperand() && walk.element == address->getSourceElementType() &&
                       walk.step == step;
            });
            if (found == walks.end()) {
                walks.push_back({address->getPointerOperand(), address->getSourceElementType(), step, {}});
                found = walks.end() - 1;
            }
            found->accesses.push_back({address, index});
        }
        if (!rest && keeps_indices(walks, loop, evolution)) {
            Indices indices(walks, loop, evolution);
            for (const Walk& walk : walks) indices.lead(walk);
            if (unrolled) count_by_counter(loop);
            return true;
        }
        const llvm::SmallBitVector adds =
            unrolled && !rest ? keep_sums(walks, loop, evolution) : llvm::SmallBitVector(walks.size());
        bool changed = false;
        for (const auto& [k, walk] : llvm::enumerate(walks))
            if (adds.test(k)) {
                lead_and_add(walk, loop, evolution);
                changed = true;
            } else if (unrolled || is_worth(walk, evolution)) {
                lead(walk, loop, evolution);
                changed = true;
            }
        return changed;
    }
    /// What the loop does not change in the indices of a walk: a number for all that are at constant distances. None
    /// where it is the loop's counter alone.
    using Parts = llvm::SmallVector<const llvm::SCEV*, 2>;

    static Parts parts_of(const Walk& walk, llvm::ArrayRef<const llvm::SCEV*> counters,
                          llvm::ScalarEvolution& evolution) {
        Parts parts;
        // By strides that only the launch knows, the copies of one access are at no constant distances.
        const bool known = llvm::isa<llvm::SCEVConstant>(walk.step);
        for (const auto& access : llvm::ArrayRef(walk.accesses).take_front(known ? walk.accesses.size() : 1)) {
            const auto* part = access.second->getStart();
            const auto is_near = [&](const llvm::SCEV* other) {
                return llvm::isa<llvm::SCEVConstant>(evolution.getMinusSCEV(part, other));
            };
            if (!llvm::isa<llvm::SCEVConstant>(part) && llvm::none_of(counters, is_near) &&
                llvm::none_of(parts, is_near))
                parts.push_back(part);
        }
        return parts;
    }
    /// Where the numbers start that the loop counts.
    static llvm::SmallVector<const llvm::SCEV*, 4> starts_of_counters(llvm::Loop& loop,
                                                                      llvm::ScalarEvolution& evolution) {
        llvm::SmallVector<const llvm::SCEV*, 4> starts;
        for (auto& phi : loop.getHeader()->phis())
            if (phi.getType()->isIntegerTy(32))
                if (const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
                    counter && counter->getLoop() == &loop)
                    starts.push_back(counter->getStart());
        return starts;
    }
    /// Which walks add what the loop does not change to a pointer from the array's start in each round, as nvcc does in
    /// loops that it unrolls: of walks by `k + part`, all but the first, and that one too where its part is another's,
    /// where it has several, where some access goes by `k * n + part`, and where there are more copies than four.
    static llvm::SmallBitVector keep_sums(llvm::ArrayRef<Walk> walks, llvm::Loop& loop,
                                          llvm::ScalarEvolution& evolution) {
        const auto counters = starts_of_counters(loop, evolution);
        llvm::SmallVector<Parts, 4> parts;
        bool all = llvm::getOptionalIntLoopAttribute(&loop, kUnrolled).value_or(0) > kFewCopies;
        for (const Walk& walk : walks) {
            parts.push_back(parts_of(walk, counters, evolution));
            all |= !llvm::isa<llvm::SCEVConstant>(walk.step) && !parts.back().empty();
        }
        llvm::SmallBitVector adds(walks.size());
        bool first = true;
        for (std::size_t k = 0; k < walks.size(); ++k) {
            if (!llvm::isa<llvm::SCEVConstant>(walks[k].step) || parts[k].empty()) continue;
            bool shared = parts[k].size() > 1;
            for (std::size_t other = 0; other < walks.size(); ++other)
                shared |= other != k && llvm::is_contained(parts[other], parts[k].front());
            adds[k] = all || shared || !first;
            first &= parts[k].size() > 1;
        }
        return adds;
    }
    /// A pointer goes from the array's start; each access adds to it what the loop does not change.
    static void lead_and_add(const Walk& walk, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        auto* block = loop.getHeader();
        auto* before = loop.getLoopPreheader()->getTerminator();
        const auto& layout = block->getModule()->getDataLayout();
        llvm::SCEVExpander expander(evolution, layout, "walk");
        llvm::IRBuilder<> outside(before);
        const auto size = static_cast<std::int64_t>(layout.getTypeAllocSize(walk.element).getFixedValue());
        auto* here = llvm::PHINode::Create(walk.base->getType(), 2, "walk", block->begin());
        llvm::SmallVector<std::pair<const llvm::SCEV*, llvm::Value*>, 4> places;
        for (const auto& [address, index] : walk.accesses) {
            llvm::Value* made = nullptr;
            for (const auto& [at, place] : places)
                if (const auto* far = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(index->getStart(), at));
                    far && !made)
                    made = at_distance(*address, walk.element, place, far->getAPInt());
            if (!made) {
                auto* start = expander.expandCodeFor(index->getStart(), index->getType(), before);
                auto* bytes = outside.CreateMul(outside.CreateSExt(start, outside.getInt64Ty()),
                                                llvm::ConstantInt::getSigned(outside.getInt64Ty(), size));
                llvm::IRBuilder<> builder(address);
                made = builder.CreateGEP(builder.getInt8Ty(), here, apart(*bytes, *address));
                places.push_back({index->getStart(), made});
            }
            evolution.forgetValue(address);
            address->replaceAllUsesWith(made);
        }
        llvm::IRBuilder<> builder(block->getTerminator());
        const auto& step = llvm::cast<llvm::SCEVConstant>(walk.step)->getAPInt();
        // The back end would have one number for all arrays, and add it to each.
        auto* bytes = llvm::ConstantInt::getSigned(builder.getInt64Ty(), step.getSExtValue() * size);
        here->addIncoming(walk.base, loop.getLoopPreheader());
        here->addIncoming(builder.CreateGEP(builder.getInt8Ty(), here, apart(*bytes, *block->getTerminator())), block);
        for (const auto& [address, index] : walk.accesses) llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
    }
    /// Whether indices stay indices: all go by constant strides, and none by a counter's own step.
    static bool keeps_indices(llvm::ArrayRef<Walk> walks, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        if (walks.empty() || loop.getLoopDepth() > 2) return false;
        llvm::SmallPtrSet<const llvm::SCEV*, 4> counters;
        for (auto& phi : loop.getHeader()->phis())
            if (phi.getType()->isIntegerTy())
                if (const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
                    counter && counter->getLoop() == &loop && counter->isAffine())
                    counters.insert(counter->getStepRecurrence(evolution));
        for (const Walk& walk : walks) {
            const bool constant = llvm::isa<llvm::SCEVConstant>(walk.step) && !counters.contains(walk.step);
            if (!constant || walk.accesses.size() < 2 || !is_dereferenced(walk, loop)) return false;
        }
        return llvm::none_of(*loop.getHeader(), [&](llvm::Instruction& instruction) {
            return is_other_walk(instruction, walks, loop, evolution);
        });
    }
    /// An unrolled loop counts the rounds that are left down to zero (unroll.cpp). Where no pointer walks, nvcc adds
    /// what is missing to the counter of the source instead.
    static void count_by_counter(llvm::Loop& loop) {
        auto *block = loop.getHeader(), *before = loop.getLoopPreheader();
        const auto counts_by = [&](llvm::Value* value, llvm::PHINode*& phi) -> const llvm::APInt* {
            auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
            if (!sum || sum->getOpcode() != llvm::Instruction::Add) return nullptr;
            phi = llvm::dyn_cast<llvm::PHINode>(sum->getOperand(0));
            const auto* step = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
            const bool is_counter = phi && phi->getParent() == block && phi->getIncomingValueForBlock(block) == sum;
            return is_counter && step ? &step->getValue() : nullptr;
        };
        auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        const auto* zero =
            test && test->isEquality() ? llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1)) : nullptr;
        if (!zero || !zero->isZero()) return;
        llvm::PHINode *left = nullptr, *counter = nullptr;
        const auto* down = counts_by(test->getOperand(0), left);
        if (!down || !left->hasOneUse()) return;
        for (auto& phi : block->phis()) {
            auto* next = phi.getIncomingValueForBlock(block);
            const auto* start = llvm::dyn_cast<llvm::ConstantInt>(phi.getIncomingValueForBlock(before));
            if (&phi == left || !start || !start->isZero() || phi.getType() != left->getType()) continue;
            const auto* up = counts_by(next, counter);
            if (!up || *up != -*down) continue;
            auto* missing =
                llvm::IRBuilder<>(before->getTerminator()).CreateNeg(left->getIncomingValueForBlock(before));
            auto* hidden = apart(*next, *test);
            test->setOperand(0, llvm::IRBuilder<>(test).CreateAdd(hidden, missing));
            phi.setIncomingValueForBlock(block, hidden);
            llvm::RecursivelyDeleteDeadPHINode(left);
            return;
        }
    }
    /// Whether an address of the loop changes from round to round in another way than the walks do.
    static bool is_other_walk(llvm::Instruction& instruction, llvm::ArrayRef<Walk> walks, llvm::Loop& loop,
                              llvm::ScalarEvolution& evolution) {
        auto* pointer = llvm::getLoadStorePointerOperand(&instruction);
        auto* address = pointer ? llvm::dyn_cast<llvm::GetElementPtrInst>(pointer) : nullptr;
        while (address && address->hasAllConstantIndices() &&
               llvm::isa<llvm::GetElementPtrInst>(address->getPointerOperand()))
            address = llvm::cast<llvm::GetElementPtrInst>(address->getPointerOperand());
        if (!address || !changes(address, loop) || !evolution.isSCEVable(address->getType())) return false;
        for (const Walk& walk : walks)
            if (llvm::any_of(walk.accesses, [&](const Access& access) { return access.first == address; }))
                return false;
        return llvm::isa<llvm::SCEVAddRecExpr>(evolution.getSCEV(address)) || counted(*address, loop, evolution);
    }
    static bool counted(llvm::GetElementPtrInst& address, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        return llvm::any_of(address.indices(), [&](llvm::Use& index) {
            llvm::Value* narrow = index.get();
            if (auto* cast = llvm::dyn_cast<llvm::CastInst>(narrow)) narrow = cast->getOperand(0);
            if (!evolution.isSCEVable(narrow->getType())) return false;
            const auto* number = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(narrow));
            return number && number->getLoop() == &loop;
        });
    }
    static bool is_dereferenced(const Walk& walk, const llvm::Loop& loop) {
        return llvm::all_of(walk.accesses, [&](const Access& access) { return is_dereferenced(*access.first, loop); });
    }
    /// Whether each round reads or writes there, or at a constant distance.
    static bool is_dereferenced(const llvm::GetElementPtrInst& address, const llvm::Loop& loop) {
        return llvm::any_of(address.users(), [&](const llvm::User* user) {
            const auto* instruction = llvm::cast<llvm::Instruction>(user);
            return instruction->getParent() == loop.getHeader() &&
                   llvm::getLoadStorePointerOperand(instruction) == &address;
        });
    }
    /// Indices of 32 bits, each for the accesses at constant distances from its first one. A loop with a single one
    /// has, in nvcc's code, the index of its last access, and subtracts.
    class Indices {
    public:
        Indices(llvm::ArrayRef<Walk> walks, llvm::Loop& loop, llvm::ScalarEvolution& evolution)
            : loop_(loop), evolution_(evolution) {
            const auto& all = walks.front().accesses;
            const auto distance = [&](const Access& access) {
                return llvm::dyn_cast<llvm::SCEVConstant>(
                    evolution.getMinusSCEV(access.second->getStart(), all.front().second->getStart()));
            };
            if (walks.size() == 1 && llvm::all_of(all, distance)) last_ = distance(all.back())->getAPInt();
        }
        void lead(const Walk& walk) {
            llvm::SmallVector<std::pair<const llvm::SCEV*, llvm::Value*>, 4> firsts;
            for (const auto& [address, index] : walk.accesses) {
                llvm::Value* made = nullptr;
                for (const auto& [start, first] : firsts)
                    if (const auto* far =
                            llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(index->getStart(), start));
                        far && !made)
                        made = at_distance(*address, walk.element, first, far->getAPInt());
                if (!made) {
                    llvm::IRBuilder<> builder(address);
                    made = builder.CreateGEP(walk.element, walk.base, wide_of(*index));
                    firsts.push_back({index->getStart(), made});
                }
                evolution_.forgetValue(address);
                address->replaceAllUsesWith(made);
            }
            for (const auto& access : walk.accesses) llvm::RecursivelyDeleteTriviallyDeadInstructions(access.first);
        }

    private:
        /// The index in 64 bits; arrays with the same one share it.
        llvm::Value* wide_of(const llvm::SCEVAddRecExpr& index) {
            auto& wide = wide_[&index];
            if (wide) return wide;
            auto* block = loop_.getHeader();
            auto* before = loop_.getLoopPreheader()->getTerminator();
            llvm::SCEVExpander expander(evolution_, block->getModule()->getDataLayout(), "index");
            llvm::Value* start = expander.expandCodeFor(index.getStart(), index.getType(), before);
            if (!last_.isZero()) start = llvm::IRBuilder<>(before).CreateAdd(start, outside_number(last_));
            auto* here = llvm::PHINode::Create(index.getType(), 2, "index", block->begin());
            llvm::IRBuilder<> first(block, block->getFirstInsertionPt());
            llvm::Value* narrow = apart(*here, *first.GetInsertPoint());
            if (!last_.isZero()) narrow = first.CreateAdd(narrow, outside_number(-last_));
            wide = first.CreateSExt(narrow, first.getInt64Ty());
            llvm::IRBuilder<> last(block->getTerminator());
            const auto& step = llvm::cast<llvm::SCEVConstant>(index.getStepRecurrence(evolution_))->getAPInt();
            here->addIncoming(start, loop_.getLoopPreheader());
            here->addIncoming(last.CreateAdd(here, last.getInt(step)), block);
            return wide;
        }
        llvm::Value* outside_number(const llvm::APInt& number) const {
            return llvm::ConstantInt::get(loop_.getHeader()->getContext(), number);
        }

        llvm::Loop& loop_;
        llvm::ScalarEvolution& evolution_;
        llvm::APInt last_{32, 0};
        llvm::SmallDenseMap<const llvm::SCEV*, llvm::Value*> wide_;
    };
    static llvm::Value* at_distance(llvm::Instruction& at, llvm::Type* element, llvm::Value* first,
                                    const llvm::APInt& distance) {
        llvm::IRBuilder<> builder(&at);
        return distance.isZero()
                   ? first
                   : builder.CreateGEP(element, first,
                                       builder.getInt64(static_cast<std::uint64_t>(distance.getSExtValue())));
    }
    /// Whether clang's analysis does not see what the accesses have in common: it knows the indices in 32 bits alone,
    /// or distances that are one in 32 bits are several in 64.
    static bool is_worth(const Walk& walk, llvm::ScalarEvolution& evolution) {
        const auto wide = [&](const auto& access) { return evolution.getSCEV(access.first->getOperand(1)); };
        const auto& first = walk.accesses.front();
        llvm::SmallDenseMap<const llvm::SCEV*, const llvm::SCEV*> distances;
        for (std::size_t k = 1; k < walk.accesses.size(); ++k) {
            const auto &here = walk.accesses[k], &before = walk.accesses[k - 1];
            const auto* far = evolution.getMinusSCEV(wide(here), wide(before));
            auto& known = distances[evolution.getMinusSCEV(here.second, before.second)];
            if (known && known != far) return true;
            known = far;
        }
        return llvm::any_of(walk.accesses, [&](const auto& access) {
            return !llvm::isa<llvm::SCEVAddRecExpr>(wide(access)) ||
                   (llvm::isa<llvm::SCEVConstant>(evolution.getMinusSCEV(access.second, first.second)) &&
                    !llvm::isa<llvm::SCEVConstant>(evolution.getMinusSCEV(wide(access), wide(first))));
        });
    }
    static void lead(const Walk& walk, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        auto* block = loop.getHeader();
        auto* before = loop.getLoopPreheader()->getTerminator();
        llvm::SCEVExpander expander(evolution, block->getModule()->getDataLayout(), "walk");
        llvm::IRBuilder<> outside(before);
        llvm::SmallDenseMap<const llvm::SCEV*, llvm::Value*> known;
        const auto outside_of = [&](const llvm::SCEV* number) {
            auto& value = known[number];
            if (!value)
                value =
                    outside.CreateSExt(expander.expandCodeFor(number, number->getType(), before), outside.getInt64Ty());
            return value;
        };
        const auto* first = walk.accesses.front().second;
        auto* start = outside.CreateGEP(walk.element, walk.base, outside_of(first->getStart()));
        auto* here = llvm::PHINode::Create(start->getType(), 2, "walk", block->begin());
        // Places that the pointer has been at: accesses at a constant distance from one of them need no step.
        llvm::SmallVector<std::pair<const llvm::SCEV*, llvm::Value*>, 4> places{{first->getStart(), here}};
        for (const auto& [address, index] : walk.accesses) {
            llvm::Value* made = nullptr;
            for (const auto& [at, place] : places)
                if (const auto* far = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(index->getStart(), at));
                    far && !made)
                    made = at_distance(*address, walk.element, place, far->getAPInt());
            if (!made) {
                const auto* distance = evolution.getMinusSCEV(index->getStart(), places.back().first);
                llvm::IRBuilder<> builder(address);
                made = builder.CreateGEP(walk.element, places.back().second, outside_of(distance));
                places.push_back({index->getStart(), made});
            }
            evolution.forgetValue(address);
            address->replaceAllUsesWith(made);
        }
        llvm::IRBuilder<> builder(block->getTerminator());
        const auto* on =
            evolution.getMinusSCEV(evolution.getAddExpr(first->getStart(), walk.step), places.back().first);
        here->addIncoming(start, loop.getLoopPreheader());
        here->addIncoming(llvm::isa<llvm::SCEVConstant>(walk.step)
                              ? builder.CreateGEP(walk.element, here, outside_of(walk.step))
                              : builder.CreateGEP(walk.element, places.back().second, outside_of(on)),
                          block);
        for (const auto& [address, index] : walk.accesses) llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
    }
    /// Whether the index is a sum or product, which goes by the same step in each round: without overflow, or of an
    /// element that each round reads or writes.
    static bool is_sum(llvm::SExtInst& wide, llvm::GetElementPtrInst& address, llvm::Loop& loop,
                       llvm::ScalarEvolution& evolution, bool or_counter) {
        return wide.getType()->isIntegerTy(64) && indexes_memory(wide) &&
               wide.getOperand(0)->getType()->isIntegerTy(32) &&
               (or_counter || llvm::isa<llvm::BinaryOperator>(wide.getOperand(0))) &&
               changes(wide.getOperand(0), loop) &&
               (is_dereferenced(address, loop) || fits(wide.getOperand(0), loop, evolution, 0));
    }
    /// Whether it is an index into memory of 64-bit addresses, and nothing else.
    static bool indexes_memory(const llvm::SExtInst& wide) {
        for (const auto* user : wide.users()) {
            const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
            if (!address) return false;
            const auto* base = address->getPointerOperand()->stripInBoundsOffsets();
            while (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(base))
                base = cast->getPointerOperand()->stripInBoundsOffsets();
            if (base->getType()->getPointerAddressSpace() == kSharedSpace) return false;
        }
        return !wide.use_empty();
    }
    static bool changes(const llvm::Value* value, const llvm::Loop& loop) { return !loop.isLoopInvariant(value); }
    /// Whether the value, sign-extended, is a sum or product of its parts, sign-extended.
    static bool exact(const llvm::BinaryOperator& part) {
        switch (part.getOpcode()) {
            case llvm::Instruction::Add:
            case llvm::Instruction::Sub:
            case llvm::Instruction::Mul:
            case llvm::Instruction::Shl:  // a product with a power of two
                return part.hasNoSignedWrap();
            case llvm::Instruction::Or:
                return llvm::cast<llvm::PossiblyDisjointInst>(part).isDisjoint();
            default:
                return false;
        }
    }
    static bool fits(llvm::Value* value, llvm::Loop& loop, llvm::ScalarEvolution& evolution, unsigned depth) {
        if (!changes(value, loop)) return true;
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
            return phi->getParent() == loop.getHeader() && evolution.isSCEVable(phi->getType()) &&
                   llvm::isa<llvm::SCEVAddRecExpr>(
                       evolution.getSignExtendExpr(evolution.getSCEV(phi), llvm::Type::getInt64Ty(phi->getContext())));
        auto* part = llvm::dyn_cast<llvm::BinaryOperator>(value);
        if (!part || depth == kDeepest || !exact(*part)) return false;
        if (part->getOpcode() == llvm::Instruction::Shl && !llvm::isa<llvm::ConstantInt>(part->getOperand(1)))
            return false;
        if (part->getOpcode() == llvm::Instruction::Mul && changes(part->getOperand(0), loop) &&
            changes(part->getOperand(1), loop))
            return false;
        return fits(part->getOperand(0), loop, evolution, depth + 1) &&
               fits(part->getOperand(1), loop, evolution, depth + 1);
    }
};

}  // namespace

void add_indices(llvm::PassBuilder& builder) {
    // Late, for clang's combinations of instructions would narrow such an index again.
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        llvm::FunctionPassManager last;
        last.addPass(llvm::LoopSimplifyPass());
        last.addPass(WalkOverArrays());
        last.addPass(llvm::EarlyCSEPass());  // what an access has written, the next one need not read
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}
