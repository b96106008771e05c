// Each block is rewritten from its end: what needs a vector is seen before the vector, and a value's place is free
// again where the value is made. An operation that one other uses goes into that one's function, if nothing between the
// two changes what it reads; loads, splats and casts go into all.
#include "engine/codegen/outline/outline.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "engine/codegen/outline/masks.hpp"
#include "engine/codegen/outline/work.hpp"

namespace warpwright::engine::codegen {

namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using V = llvm::Value*;

/// Instructions that go into the function of one that needs them, at most: a chain of thousands is cut, as are the
/// recursion along it and the function's frame.
constexpr unsigned kMostMoved = 32;
/// How many writes after a load are looked at, at most.
constexpr unsigned kMostWrites = 64;

class Outliner {
public:
    Outliner(llvm::Function& f, OutlinedKinds& kinds)
        : f_(f), module_(*f.getParent()), b_(f.getContext()), kinds_(kinds) {}

    void run() {
        find_crossing();
        std::vector<llvm::BasicBlock*> blocks;
        for (auto& block : f_) blocks.push_back(&block);
        for (auto* block : blocks) place_phis(*block);
        for (auto* block : blocks) rewrite(*block);
        for (auto* block : blocks) copy_phis(*block);
        remove();
    }

private:
    static bool crosses(const Instruction& i) {
        return std::any_of(i.user_begin(), i.user_end(), [&](const llvm::User* u) {
            const auto& user = *cast<Instruction>(u);
            return user.getParent() != i.getParent() || isa<llvm::PHINode>(user) ||
                   (is_free(user) && !splat_scalar(&user) && crosses(user));
        });
    }

    /// Finds the vectors that other blocks need.
    void find_crossing() {
        for (auto& block : f_)
            for (auto& i : block)
                if (i.getType()->isVectorTy() && !is_free(i) && crosses(i)) crossing_.insert(&i);
    }

    std::uint64_t bytes_of(llvm::Type* type) const {
        return (module_.getDataLayout().getTypeStoreSize(type).getFixedValue() + 63) / 64 * 64;
    }

    V new_place(std::uint64_t bytes) {
        llvm::IRBuilder<> at(&*f_.getEntryBlock().begin());
        auto* place = at.CreateAlloca(llvm::ArrayType::get(at.getInt8Ty(), bytes), nullptr, "lanes");
        place->setAlignment(llvm::Align(64));
        return place;
    }

    /// Where the vector is kept: places of vectors that no other block needs are used again.
    V place_of(Instruction& i) {
        if (auto at = place_.find(&i); at != place_.end()) return at->second;
        const auto bytes = bytes_of(i.getType());
        if (crossing_.count(&i)) return place_[&i] = new_place(bytes);
        auto& free = free_[bytes];
        if (free.empty()) {
            free.push_back(new_place(bytes));
            all_[bytes].push_back(free.back());
        }
        lent_[&i] = free.back();
        free.pop_back();
        return place_[&i] = lent_[&i];
    }

    /// What comes before the instruction may use its place.
    void give_back(Instruction& i) {
        if (auto at = lent_.find(&i); at != lent_.end()) free_[bytes_of(i.getType())].push_back(at->second);
    }

    /// Whether the incoming vector may be made where the phi has it: at the end of a way that leads there, for it
    /// alone.
    bool made_in_phi(const llvm::PHINode& phi, unsigned k) const {
        const auto* i = dyn_cast<Instruction>(phi.getIncomingValue(k));
        return i && !isa<llvm::PHINode>(i) && !is_free(*i) && i->hasOneUse() &&
               i->getParent() == phi.getIncomingBlock(k) && i->getParent() != phi.getParent();
    }

    /// A phi has a place where the ways leave it, and one of its own if another block reads it: the way on may come
    /// past the next one before that.
    void place_phis(llvm::BasicBlock& block) {
        for (auto& phi : block.phis()) {
            if (!phi.getType()->isVectorTy()) continue;
            V in = arrives_[&phi] = new_place(bytes_of(phi.getType()));
            place_[&phi] = crossing_.count(&phi) ? new_place(bytes_of(phi.getType())) : in;
            for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k)
                if (made_in_phi(phi, k)) place_[phi.getIncomingValue(k)] = in;
        }
    }

    void copy_phis(llvm::BasicBlock& block) {
        here_ = nullptr;
        for (auto& phi : block.phis()) {
            if (!phi.getType()->isVectorTy()) continue;
            V in = arrives_[&phi];
            if (in != place_[&phi]) {
                b_.SetInsertPoint(&*block.getFirstInsertionPt());
                WorkTree t;
                t.argument(place_[&phi]);
                t.call(b_, module_, kinds_, t.add_loaded(in, phi.getType()), true);
            }
            llvm::SmallPtrSet<llvm::BasicBlock*, 4> done;
            for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
                V from = phi.getIncomingValue(k);
                if (isa<llvm::UndefValue>(from) || !done.insert(phi.getIncomingBlock(k)).second) continue;
                if (auto at = place_.find(from); at != place_.end() && at->second == in) continue;
                b_.SetInsertPoint(phi.getIncomingBlock(k)->getTerminator());
                WorkTree t;
                t.argument(in);
                t.call(b_, module_, kinds_, add(t, from, false, nullptr), true);
            }
        }
    }

    void rewrite(llvm::BasicBlock& block) {
        here_ = &block;
        number_.clear();
        writes_.clear();
        lent_.clear();
        absorbed_.clear();
        free_ = all_;
        std::vector<Instruction*> work;
        for (auto& i : block) {
            number_[&i] = static_cast<unsigned>(number_.size());
            if (i.mayWriteToMemory()) writes_.push_back(&i);
            if (is_outlined(i)) work.push_back(&i);
        }
        for (auto at = work.rbegin(); at != work.rend(); ++at) {
            gone_.push_back(*at);
            if (!absorbed_.count(*at) && !is_free(**at)) write(**at);
        }
    }

    /// Writes the call that does the instruction's work, if anything needs it.
    void write(Instruction& i) {
        root_ = &i;
        const bool vector = i.getType()->isVectorTy();
        if (vector && !place_.count(&i) && !crossing_.count(&i) && !i.mayHaveSideEffects()) return;
        b_.SetInsertPoint(&i);
        WorkTree t;
        if (vector) {
            t.argument(place_of(i));
            give_back(i);
        } else if (V element = load_of_element(i)) {
            i.replaceAllUsesWith(element);
            return;
        }
        V done = t.call(b_, module_, kinds_, add_instruction(t, i, true), vector);
        if (!vector && !i.getType()->isVoidTy()) i.replaceAllUsesWith(done);
    }

    /// One element of a vector in memory; null: it is no such.
    V load_of_element(Instruction& i) {
        const auto* extract = dyn_cast<llvm::ExtractElementInst>(&i);
        if (!extract || !is_simple(i.getType()) || i.getType()->isIntegerTy(1)) return nullptr;
        const auto* at = dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
        auto* from = dyn_cast<Instruction>(i.getOperand(0));
        if (!at || !from || is_free(*from)) return nullptr;
        V base = may_repeat(*from) ? cast<llvm::LoadInst>(from)->getPointerOperand() : place_of(*from);
        const auto bytes = module_.getDataLayout().getTypeStoreSize(i.getType()).getFixedValue();
        V place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, at->getZExtValue() * bytes);
        return b_.CreateAlignedLoad(i.getType(), place, llvm::Align(1));
    }

    bool may_change(const Instruction& write, V pointer, std::uint64_t bytes) const {
        const auto* store = dyn_cast<llvm::StoreInst>(&write);
        if (!store) return true;
        std::int64_t a = 0, b = 0;
        const auto& layout = module_.getDataLayout();
        const V x = llvm::GetPointerBaseWithConstantOffset(pointer, a, layout);
        const V y = llvm::GetPointerBaseWithConstantOffset(const_cast<V>(store->getPointerOperand()), b, layout);
        if (x != y) return !isa<llvm::AllocaInst>(x) || !isa<llvm::AllocaInst>(y);
        const auto stored = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
        return a < b + static_cast<std::int64_t>(stored) && b < a + static_cast<std::int64_t>(bytes);
    }

    /// Whether the instruction reads the same at the root.
    bool unchanged(const Instruction& i) const {
        if (!i.mayReadFromMemory()) return true;
        const auto from = number_.at(&i), to = number_.at(root_);
        const auto* load = dyn_cast<llvm::LoadInst>(&i);
        const auto bytes = module_.getDataLayout().getTypeStoreSize(i.getType()).getFixedValue();
        auto at = std::partition_point(writes_.begin(), writes_.end(),
                                       [&](const Instruction* w) { return number_.at(w) <= from; });
        for (unsigned looked = 0; at != writes_.end() && number_.at(*at) < to; ++at)
            if (++looked > kMostWrites || !load || may_change(**at, const_cast<V>(load->getPointerOperand()), bytes))
                return false;
        return true;
    }

    bool is_here(const Instruction& i) const { return here_ && i.getParent() == here_; }

    /// Whether the pointer leads into this thread's own frames: a place of the function, or a fixed one behind an
    /// argument. What a kernel reads may change between two looks at it.
    bool is_own(const llvm::Value* pointer) const {
        std::int64_t offset = 0;
        const auto* base = llvm::GetPointerBaseWithConstantOffset(pointer, offset, module_.getDataLayout());
        const auto is_given = [](const llvm::Value* v) { return isa<llvm::Argument>(v); };
        const auto* phi = dyn_cast<llvm::PHINode>(base);
        return isa<llvm::AllocaInst>(base) || is_given(base) || (phi && llvm::any_of(phi->incoming_values(), is_given));
    }

    /// A load that the root may do as well, and others too.
    bool may_repeat(const Instruction& i) const {
        const auto* load = dyn_cast<llvm::LoadInst>(&i);
        return load && load->isSimple() && is_here(i) && !crossing_.count(&i) && !place_.count(&i) &&
               is_own(load->getPointerOperand()) && unchanged(i);
    }

    /// An instruction that only the root needs.
    bool may_move(const Instruction& i) const {
        const auto* load = dyn_cast<llvm::LoadInst>(&i);
        return i.hasOneUse() && is_here(i) && !isa<llvm::PHINode>(i) && !crossing_.count(&i) && !place_.count(&i) &&
               !i.mayHaveSideEffects() && (load ? load->isSimple() : !i.mayReadFromMemory()) && unchanged(i);
    }

    /// Adds what the root reads; `alone`: the root's function alone has all between.
    unsigned add(WorkTree& t, V v, bool alone, const Instruction* user) {
        if (auto* c = dyn_cast<llvm::Constant>(v)) {
            auto* number = user && t.has_room() ? passed_number(*c, *user) : nullptr;
            if (number) return t.add_splat(number, c->getType());
            if (!isa<llvm::GlobalValue>(c)) return t.add_constant(c);
        }
        if (auto at = t.node_of.find(v); at != t.node_of.end()) return at->second;
        return t.node_of[v] = add_new(t, v, alone);
    }

    unsigned add_new(WorkTree& t, V v, bool alone) {
        auto* i = dyn_cast<Instruction>(v);
        if (!i || !v->getType()->isVectorTy()) return t.add_argument(v);
        if (V scalar = splat_scalar(v)) return t.add_splat(scalar, v->getType());
        if (is_free(*i)) return add_instruction(t, *i, alone && i->hasOneUse());
        if (alone && t.has_room() && t.moved < kMostMoved && may_move(*i)) {
            ++t.moved;
            absorbed_.insert(i);
            return add_instruction(t, *i, true);
        }
        if (may_repeat(*i)) return add_instruction(t, *i, false);
        return t.add_loaded(place_of(*i), v->getType());
    }

    unsigned add_instruction(WorkTree& t, Instruction& i, bool alone) {
        llvm::SmallVector<unsigned, 4> in;
        const auto* call = dyn_cast<llvm::CallBase>(&i);
        const unsigned operands = call ? call->arg_size() : i.getNumOperands();
        for (unsigned k = 0; k < operands; ++k) in.push_back(add(t, i.getOperand(k), alone, &i));
        return t.add(i, in);
    }

    void remove() {
        for (auto& block : f_)
            for (auto& phi : block.phis())
                if (phi.getType()->isVectorTy()) gone_.push_back(&phi);
        for (auto* i : gone_) i->dropAllReferences();
        for (auto* i : gone_) i->eraseFromParent();
    }

    llvm::Function& f_;
    llvm::Module& module_;
    llvm::IRBuilder<> b_;
    OutlinedKinds& kinds_;
    llvm::BasicBlock* here_ = nullptr;  ///< the block being rewritten
    Instruction* root_ = nullptr;       ///< the instruction whose work is being written
    llvm::DenseSet<const llvm::Value*> crossing_;
    llvm::DenseMap<const llvm::Value*, V> place_, arrives_;
    std::map<std::uint64_t, std::vector<V>> all_, free_;  ///< places for one block at a time, by size
    llvm::DenseMap<const Instruction*, V> lent_;
    llvm::DenseMap<const Instruction*, unsigned> number_;  ///< in the block
    std::vector<Instruction*> writes_, gone_;
    llvm::DenseSet<const Instruction*> absorbed_;
};

}  // namespace

/// Writes the function's work on vectors as calls; a function of which that is not known to be right stays as it is.
void outline_vectors(llvm::Function& function, OutlinedKinds& kinds) {
    split_bundles(function);
    if (!may_be_outlined(function)) return;
    make_masks_words(function);
    Outliner(function, kinds).run();
}

void outline_vectors(llvm::Module& module) {
    OutlinedKinds kinds;
    std::vector<llvm::Function*> functions;
    for (auto& function : module)
        if (!function.isDeclaration()) functions.push_back(&function);
    for (auto* function : functions) outline_vectors(*function, kinds);
}

}  // namespace warpwright::engine::codegen
