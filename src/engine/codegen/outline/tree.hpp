// A piece of work on vectors that becomes one function, and all others of its kind calls of the same.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

namespace warpwright::engine::codegen {

/// The functions that a module has, by what they do.
using OutlinedKinds = std::map<std::string, llvm::Function*>;

/// Instructions with what they read, operands before their users.
class WorkTree {
public:
    /// The number of the argument that is this value.
    unsigned argument(llvm::Value* value);
    /// Whether one more argument has a register: a function whose arguments fill them takes no more work.
    bool has_room() const;

    /// Adds what a function begins with; each returns the number of the node.
    unsigned add_argument(llvm::Value* value);
    unsigned add_constant(llvm::Constant* c);
    unsigned add_splat(llvm::Value* scalar, llvm::Type* type);
    unsigned add_loaded(llvm::Value* place, llvm::Type* type);
    /// Adds an instruction that reads these nodes.
    unsigned add(const llvm::Instruction& i, llvm::ArrayRef<unsigned> in);

    /// The call of the function that stores the result at `to` (which is the first argument), or returns it if that is
    /// null.
    llvm::CallInst* call(llvm::IRBuilder<>& b, llvm::Module& module, OutlinedKinds& kinds, unsigned result,
                         bool stores) const;

    llvm::DenseMap<llvm::Value*, unsigned> node_of;  ///< of values that are there already
    unsigned moved = 0;                              ///< instructions whose work is done here alone

private:
    struct Node {
        enum class Kind { argument, constant, splat, loaded, instruction } kind;
        llvm::Type* type;
        const llvm::Value* value;  ///< of a constant or an instruction
        unsigned argument;
        llvm::SmallVector<unsigned, 4> in;
    };
    unsigned add(Node node);
    void note(std::uint64_t x) { key_.append(reinterpret_cast<const char*>(&x), sizeof x); }
    void note(const void* x) { note(reinterpret_cast<std::uint64_t>(x)); }
    void describe(const llvm::Instruction& i);
    llvm::Function* make(llvm::Module& module, unsigned result, bool stores, llvm::Type* returned) const;

    std::string key_;
    llvm::SmallVector<llvm::Value*, 8> arguments_;
    llvm::DenseMap<llvm::Value*, unsigned> argument_of_;
    std::vector<Node> nodes_;
};

}  // namespace warpwright::engine::codegen
