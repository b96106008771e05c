// Constants, types and callees are unique in LLVM's context, so that their addresses tell kinds apart.
#include "engine/codegen/outline/tree.hpp"

#include <llvm/IR/Constants.h>

#include <algorithm>

namespace warpwright::engine::codegen {

using llvm::cast;
using llvm::dyn_cast;

namespace {

/// Places of vectors begin at such addresses.
const llvm::Align kPlaced(64);

}  // namespace

unsigned WorkTree::argument(llvm::Value* value) {
    const auto [at, fresh] = argument_of_.try_emplace(value, static_cast<unsigned>(arguments_.size()));
    if (fresh) arguments_.push_back(value);
    return at->second;
}

bool WorkTree::has_room() const {
    constexpr int kWords = 6, kFloats = 8;
    const auto floats = std::count_if(arguments_.begin(), arguments_.end(),
                                      [](const llvm::Value* a) { return a->getType()->isFloatingPointTy(); });
    return floats < kFloats && static_cast<int>(arguments_.size()) - floats < kWords;
}

unsigned WorkTree::add(Node node) {
    note(static_cast<std::uint64_t>(node.kind));
    note(node.type);
    note(std::uint64_t{node.argument});
    for (const auto n : node.in) note(std::uint64_t{n});
    if (node.kind == Node::Kind::constant) note(node.value);
    if (node.kind == Node::Kind::instruction) describe(*cast<llvm::Instruction>(node.value));
    nodes_.push_back(std::move(node));
    return static_cast<unsigned>(nodes_.size() - 1);
}

unsigned WorkTree::add_argument(llvm::Value* value) {
    return add({Node::Kind::argument, value->getType(), nullptr, argument(value), {}});
}

unsigned WorkTree::add_constant(llvm::Constant* c) { return add({Node::Kind::constant, c->getType(), c, 0, {}}); }

unsigned WorkTree::add_splat(llvm::Value* scalar, llvm::Type* type) {
    return add({Node::Kind::splat, type, nullptr, argument(scalar), {}});
}

unsigned WorkTree::add_loaded(llvm::Value* place, llvm::Type* type) {
    return add({Node::Kind::loaded, type, nullptr, argument(place), {}});
}

unsigned WorkTree::add(const llvm::Instruction& i, llvm::ArrayRef<unsigned> in) {
    return add({Node::Kind::instruction, i.getType(), &i, 0, {in.begin(), in.end()}});
}

void WorkTree::describe(const llvm::Instruction& i) {
    note(std::uint64_t{i.getOpcode()});
    note(std::uint64_t{i.getRawSubclassOptionalData()});
    if (const auto* c = dyn_cast<llvm::CmpInst>(&i)) note(std::uint64_t{c->getPredicate()});
    if (const auto* c = dyn_cast<llvm::CallBase>(&i)) note(c->getCalledOperand());
    if (const auto* e = dyn_cast<llvm::ExtractValueInst>(&i))
        for (const auto k : e->getIndices()) note(std::uint64_t{k});
    if (const auto* l = dyn_cast<llvm::LoadInst>(&i)) note(l->getAlign().value() * 2 + l->isVolatile());
    if (const auto* s = dyn_cast<llvm::StoreInst>(&i)) note(s->getAlign().value() * 2 + s->isVolatile());
    if (const auto* g = dyn_cast<llvm::GetElementPtrInst>(&i)) note(g->getSourceElementType());
    if (const auto* s = dyn_cast<llvm::ShuffleVectorInst>(&i))
        for (const int x : s->getShuffleMask()) note(static_cast<std::uint64_t>(std::int64_t{x}));
}

llvm::CallInst* WorkTree::call(llvm::IRBuilder<>& b, llvm::Module& module, OutlinedKinds& kinds, unsigned result,
                               bool stores) const {
    auto*& function = kinds[key_ + (stores ? 's' : 'r') + std::to_string(result)];
    if (!function) function = make(module, result, stores, stores ? b.getVoidTy() : nodes_[result].type);
    auto* call = b.CreateCall(function, arguments_);
    call->setDoesNotThrow();
    return call;
}

llvm::Function* WorkTree::make(llvm::Module& module, unsigned result, bool stores, llvm::Type* returned) const {
    llvm::SmallVector<llvm::Type*, 8> types;
    for (const auto* a : arguments_) types.push_back(a->getType());
    auto* f = llvm::Function::Create(llvm::FunctionType::get(returned, types, false),
                                     llvm::GlobalValue::InternalLinkage, "lanes", module);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->addFnAttr("frame-pointer", "all");  // by which a profile finds the kernel's line
    f->setDoesNotThrow();
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(f->getContext(), "entry", f));
    std::vector<llvm::Value*> made;
    for (const auto& node : nodes_) {
        auto* const given = node.argument < f->arg_size() ? f->getArg(node.argument) : nullptr;
        switch (node.kind) {
            case Node::Kind::argument:
                made.push_back(given);
                break;
            case Node::Kind::constant:
                made.push_back(const_cast<llvm::Value*>(node.value));
                break;
            case Node::Kind::splat:
                made.push_back(at.CreateVectorSplat(cast<llvm::FixedVectorType>(node.type)->getNumElements(), given));
                break;
            case Node::Kind::loaded:
                made.push_back(at.CreateAlignedLoad(node.type, given, kPlaced));
                break;
            case Node::Kind::instruction: {
                auto* copy = cast<llvm::Instruction>(node.value)->clone();
                copy->dropUnknownNonDebugMetadata();
                copy->setDebugLoc({});
                for (unsigned k = 0; k < node.in.size(); ++k) copy->setOperand(k, made[node.in[k]]);
                made.push_back(at.Insert(copy));
                break;
            }
        }
    }
    if (stores) at.CreateAlignedStore(made[result], f->getArg(0), kPlaced);
    if (returned->isVoidTy())
        at.CreateRetVoid();
    else
        at.CreateRet(made[result]);
    return f;
}

}  // namespace warpwright::engine::codegen
