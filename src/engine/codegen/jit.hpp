// LLVM's part in making host code: target, optimisation, object code, linking into the process. One Jit per device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/result.hpp"
#include "support/work_limit.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace warpwright::engine {

/// Instructions that bear metadata of a kind so called, and a number, come from that line of PTX.
inline const std::string kLineMark = "ptx.line.";

/// On a branch: its first way is for the best code, its second for code that is quick to make.
inline const std::string kVersionsMark = "ww.versions";
/// A flag of the module: how many instructions the first ways of such branches have.
inline const std::string kVersionsSize = "ww.versions.size";

/// An attribute of a kernel's own function, which no generated code calls.
inline const std::string kKernelMark = "ptx.kernel";

/// Object code, and whether it is the kind that is quick to make.
struct ObjectCode {
    std::string bytes;
    bool quick = false;
};

class Jit {
public:
    /// `cpu`: "native" (or empty), an x86-64 level ("x86-64-v2" ...), "avx2", "avx512", or any LLVM CPU name.
    static Result<std::unique_ptr<Jit>> create(const std::string& cpu);
    ~Jit();

    /// What code depends on in addition to its input: LLVM's version, CPU and features.
    const std::string& fingerprint() const;
    /// Whether code is made for a CPU with AVX-512.
    bool avx512() const;

    using Fill = std::function<Result<void>(llvm::Module&)>;
    /// Builds a module with `fill`, optimises it and gives the object code: of modules of `quick_from` LLVM
    /// instructions and more, code that is quick to make. Results do not depend on that. Code that LLVM's verifier
    /// refuses is an ErrorKind::internal, with the line of PTX where the instruction is marked (kLineMark). `limit` is
    /// asked before each of LLVM's passes, not within its code generator: Cause::time_limit.
    Result<ObjectCode> object(const Fill& fill, std::size_t quick_from, const WorkLimit& limit = {});
    /// The best code, beside others who call object().
    Result<ObjectCode> object_in_background(const Fill& fill);
    /// Links object code into the process and finds `symbol`.
    Result<void*> link(const std::string& object, const std::string& symbol);
    /// Runs `fill` only for its effects other than the IR, for code that comes from a cache.
    Result<void> describe(const Fill& fill);

private:
    struct State;
    struct Machine;
    Result<ObjectCode> object_on(Machine& machine, const Fill& fill, std::size_t quick_from, const WorkLimit& limit);
    explicit Jit(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpwright::engine
