// Logic on masks becomes logic on words. What makes a mask (a comparison) is followed by a cast to a word, and what
// needs one (a select of vectors) gets a cast back just before it.
#include "engine/codegen/outline/masks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

namespace warpwright::engine::codegen {

namespace {

using llvm::dyn_cast;
using llvm::isa;
using V = llvm::Value*;

/// The type of the word for masks of this type; null: it is no type of masks.
llvm::IntegerType* word_type(llvm::Type* type) {
    const auto* vector = dyn_cast<llvm::FixedVectorType>(type);
    if (!vector || !vector->getElementType()->isIntegerTy(1)) return nullptr;
    const auto lanes = vector->getNumElements();
    return lanes == 8 || lanes == 16 || lanes == 32 || lanes == 64 ? llvm::IntegerType::get(type->getContext(), lanes)
                                                                   : nullptr;
}

class Masks {
public:
    explicit Masks(llvm::Function& function) : function_(function), b_(function.getContext()) {}

    void rewrite() {
        std::vector<llvm::Instruction*> masks;
        llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
        for (auto* block : order)
            for (auto& i : *block)
                if (word_type(i.getType())) {
                    masks.push_back(&i);
                    if (auto* phi = dyn_cast<llvm::PHINode>(&i)) {
                        b_.SetInsertPoint(phi);
                        words_[phi] = b_.CreatePHI(word_type(i.getType()), phi->getNumIncomingValues());
                    }
                }
        for (auto* i : masks)
            if (!isa<llvm::PHINode>(i) && needs_word(*i)) words_[i] = make_word(*i);
        for (auto* i : masks)
            if (auto* phi = dyn_cast<llvm::PHINode>(i)) {
                auto* word = llvm::cast<llvm::PHINode>(words_[phi]);
                for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
                    word->addIncoming(word_of(phi->getIncomingValue(k)), phi->getIncomingBlock(k));
            }
        for (auto* i : masks)
            if (words_.count(i)) replace_uses(*i);
        for (auto* i : masks)
            if (words_.count(i) && !stay_.count(i)) {
                i->replaceAllUsesWith(llvm::PoisonValue::get(i->getType()));  // in others that go as well
                i->eraseFromParent();
            }
    }

private:
    /// Whether the mask is made of words, so that it need not be made as a mask at all.
    static bool is_logic(const llvm::Instruction& i) {
        if (isa<llvm::PHINode>(i) || isa<llvm::SelectInst>(i) || isa<llvm::FreezeInst>(i)) return true;
        if (isa<llvm::BinaryOperator>(i)) return true;
        if (const auto* load = dyn_cast<llvm::LoadInst>(&i)) return load->isSimple();
        if (isa<llvm::BitCastInst>(i)) return i.getOperand(0)->getType()->isIntegerTy();
        return false;
    }

    static bool takes_word(const llvm::Instruction& user) {
        return isa<llvm::BitCastInst>(user) || isa<llvm::StoreInst>(user) || isa<llvm::PHINode>(user) ||
               (word_type(user.getType()) && is_logic(user));
    }

    static bool needs_word(const llvm::Instruction& i) {
        if (is_logic(i)) return true;
        if (!i.hasOneUse()) return true;
        const auto* user = llvm::cast<llvm::Instruction>(i.user_back());
        return user->getParent() != i.getParent() || takes_word(*user);
    }

    V word_of(V mask) {
        if (auto at = words_.find(mask); at != words_.end()) return at->second;
        auto* type = word_type(mask->getType());
        if (isa<llvm::UndefValue>(mask)) return llvm::ConstantInt::get(type, 0);
        if (auto* constant = dyn_cast<llvm::Constant>(mask)) {
            llvm::APInt bits(type->getBitWidth(), 0);
            for (unsigned k = 0; k < type->getBitWidth(); ++k) {
                const auto* bit = dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(k));
                if (bit && bit->isOne()) bits.setBit(k);
            }
            return llvm::ConstantInt::get(type->getContext(), bits);
        }
        // What was not to become a word by itself.
        if (auto* i = dyn_cast<llvm::Instruction>(mask))
            b_.SetInsertPoint(i->getNextNode());
        else
            b_.SetInsertPoint(function_.getEntryBlock().getFirstInsertionPt());
        return words_[mask] = b_.CreateBitCast(mask, type);
    }

    V make_word(llvm::Instruction& i) {
        auto* type = word_type(i.getType());
        b_.SetInsertPoint(&i);
        if (isa<llvm::BitCastInst>(i) && i.getOperand(0)->getType() == type) return i.getOperand(0);
        if (auto* binary = dyn_cast<llvm::BinaryOperator>(&i)) {
            V x = word_of(binary->getOperand(0)), y = word_of(binary->getOperand(1));
            b_.SetInsertPoint(&i);
            switch (binary->getOpcode()) {
                case llvm::Instruction::And:
                case llvm::Instruction::Mul:
                    return b_.CreateAnd(x, y);
                case llvm::Instruction::Or:
                    return b_.CreateOr(x, y);
                case llvm::Instruction::Xor:
                case llvm::Instruction::Add:
                case llvm::Instruction::Sub:
                    return b_.CreateXor(x, y);
                default:
                    break;
            }
        }
        if (auto* load = dyn_cast<llvm::LoadInst>(&i); load && load->isSimple())
            return b_.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
        if (isa<llvm::FreezeInst>(i)) {
            V x = word_of(i.getOperand(0));
            b_.SetInsertPoint(&i);
            return b_.CreateFreeze(x);
        }
        if (auto* select = dyn_cast<llvm::SelectInst>(&i)) {
            V x = word_of(select->getTrueValue()), y = word_of(select->getFalseValue());
            if (!select->getCondition()->getType()->isVectorTy()) {
                b_.SetInsertPoint(&i);
                return b_.CreateSelect(select->getCondition(), x, y);
            }
            V c = word_of(select->getCondition());
            b_.SetInsertPoint(&i);
            return b_.CreateOr(b_.CreateAnd(c, x), b_.CreateAnd(b_.CreateNot(c), y));
        }
        b_.SetInsertPoint(i.getNextNode());
        stay_.insert(&i);
        return b_.CreateBitCast(&i, type);
    }

    void replace_uses(llvm::Instruction& i) {
        V word = words_.find(&i)->second;
        for (auto& use : llvm::make_early_inc_range(i.uses())) {
            auto* user = llvm::cast<llvm::Instruction>(use.getUser());
            if (user == word) continue;
            if (isa<llvm::BitCastInst>(user) && user->getType() == word->getType()) {
                user->replaceAllUsesWith(word);
                user->eraseFromParent();
                continue;
            }
            if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
                b_.SetInsertPoint(store);
                b_.CreateAlignedStore(word, store->getPointerOperand(), store->getAlign(), store->isVolatile());
                store->eraseFromParent();
                continue;
            }
            if (words_.count(user) && !stay_.count(user)) continue;  // it goes with its own
            if (isa<llvm::PHINode>(user)) continue;
            b_.SetInsertPoint(user);
            use.set(b_.CreateBitCast(word, i.getType()));
        }
    }

    llvm::Function& function_;
    llvm::IRBuilder<> b_;
    llvm::DenseMap<V, llvm::WeakTrackingVH> words_;
    llvm::DenseSet<V> stay_;  ///< masks that are made as such, and cast to words
};

}  // namespace

namespace {

/// Phis of structs of which nothing but parts is used.
std::vector<llvm::PHINode*> bundles_of(llvm::Function& function) {
    std::vector<llvm::PHINode*> out;
    for (auto& block : function)
        for (auto& phi : block.phis())
            if (phi.getType()->isStructTy() && llvm::all_of(phi.users(), [](const llvm::User* user) {
                    const auto* extract = dyn_cast<llvm::ExtractValueInst>(user);
                    return extract && extract->getNumIndices() == 1;
                }))
                out.push_back(&phi);
    return out;
}

/// Part k of a struct at the end of a block: what was put into it, where that is seen.
V part_of(V whole, unsigned k, llvm::BasicBlock& at_end_of) {
    for (;;) {
        if (auto* c = dyn_cast<llvm::Constant>(whole)) return c->getAggregateElement(k);
        auto* insert = dyn_cast<llvm::InsertValueInst>(whole);
        if (!insert || insert->getNumIndices() != 1) break;
        if (insert->getIndices()[0] == k) return insert->getInsertedValueOperand();
        whole = insert->getAggregateOperand();
    }
    return llvm::ExtractValueInst::Create(whole, k, "", at_end_of.getTerminator()->getIterator());
}

/// Makes phis of the parts, and returns what came into the whole.
std::vector<llvm::WeakTrackingVH> split_bundle(llvm::PHINode& phi) {
    const auto types = llvm::cast<llvm::StructType>(phi.getType())->elements();
    std::vector<llvm::PHINode*> parts;
    for (auto* type : types)
        parts.push_back(llvm::PHINode::Create(type, phi.getNumIncomingValues(), "", phi.getIterator()));
    for (unsigned k = 0; k < parts.size(); ++k) {
        llvm::DenseMap<llvm::BasicBlock*, V> from;  // a block with two ways here brings one value
        for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
            auto* block = phi.getIncomingBlock(n);
            auto& part = from[block];
            if (!part) part = part_of(phi.getIncomingValue(n), k, *block);
            parts[k]->addIncoming(part, block);
        }
    }
    for (auto* user : llvm::make_early_inc_range(phi.users())) {
        auto* extract = llvm::cast<llvm::ExtractValueInst>(user);
        extract->replaceAllUsesWith(parts[extract->getIndices()[0]]);
        extract->eraseFromParent();
    }
    std::vector<llvm::WeakTrackingVH> made(phi.incoming_values().begin(), phi.incoming_values().end());
    phi.eraseFromParent();
    return made;
}

}  // namespace

void split_bundles(llvm::Function& function) {
    std::vector<llvm::WeakTrackingVH> unused;
    // One that went into another has its parts alone in use once that one is split.
    for (auto phis = bundles_of(function); !phis.empty(); phis = bundles_of(function))
        for (auto* phi : phis)
            for (auto& x : split_bundle(*phi)) unused.push_back(x);
    for (auto& x : unused)
        if (x) llvm::RecursivelyDeleteTriviallyDeadInstructions(x);
}

void make_masks_words(llvm::Function& function) { Masks(function).rewrite(); }

}  // namespace warpwright::engine::codegen
