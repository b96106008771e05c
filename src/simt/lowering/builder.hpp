// Internal to the lowering of PTX to the warp IR: the state that the files of this folder share.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "simt/passes.hpp"

namespace warpwright::simt {

/// One activation of a PTX function being written into the graph: the kernel itself or an inlined call.
struct Instance {
    const ptx::Function* source = nullptr;
    ptx::SymbolId id = ptx::kNoId;
    std::uint32_t register_base = 0;
    ValueId carry = kNone;                            ///< the condition code register CC.CF
    std::map<ptx::SymbolId, std::uint32_t> storages;  ///< param variables -> Function::storages
    ptx::SourceLine from;                             ///< the program's line that called it; none in the outermost
    BlockId after = kNone;                            ///< where `ret` goes; kNone in the outermost
    std::vector<BlockId> label_blocks;
};

/// The calls between functions, and the cost of inlining them.
struct CallGraph {
    std::vector<std::vector<std::uint32_t>> callees;
    std::vector<bool> recursive, address_taken;
    std::vector<std::uint64_t> size;    ///< instructions, with all inlined callees included
    std::vector<std::uint64_t> blocks;  ///< the same, blocks

    /// Whether calls of a function are inlined, as long as the limits allow.
    bool inlines(std::uint32_t function) const;
};
CallGraph call_graph(const ptx::Module& module);

class Builder {
public:
    Builder(const ptx::Module& module, const CallGraph& graph, Function& out)
        : module_(module), graph_(graph), f_(out) {}

    Result<void> run(ptx::SymbolId function);
    /// After run(): every instruction has the operands of its form.
    Result<void> operands_suffice() const;

private:
    using Instruction = ptx::Instruction;

    // function.cpp
    Result<void> body(Instance& at);
    const Details& placed(const Instance& at, const Details& inst);
    std::set<std::uint32_t> reachable(ptx::SymbolId function) const;
    std::vector<bool> mentioned(const std::set<std::uint32_t>& functions) const;
    void place_shared(const std::set<std::uint32_t>& functions);
    void place_parameters(Instance& top);
    BlockId new_block();
    void jump_to(BlockId target, const Instruction* inst, bool counted);
    Result<void> within_limits(const Instruction& inst) const;

    // control.cpp
    Result<void> guarded(Instance& at, const Instruction& inst);
    Result<void> guarded_by_select(Instance& at, const Instruction& inst, Operand guard);
    void branch_if(Operand guard, BlockId then, BlockId otherwise, bool counted);
    Result<void> branch(Instance& at, const Instruction& inst);
    Result<void> multiway(Instance& at, const Instruction& inst);

    // instruction.cpp
    Result<void> instruction(Instance& at, const Instruction& inst);
    Result<void> data(Instance& at, const Instruction& inst);
    ValueId carry(Instance& at);
    Result<void> move(Instance& at, const Instruction& inst);
    Result<void> policy(Instance& at, const Instruction& inst);
    Result<void> convert_address(Instance& at, const Instruction& inst, InstKind kind);
    Result<void> warp_op(Instance& at, const Instruction& inst, InstKind kind);
    Result<void> barrier(Instance& at, const Instruction& inst);
    Result<void> one_input(Instance& at, const Instruction& inst, InstKind kind);
    Result<void> set_registers(const Instruction& inst);
    Result<void> matrix(Instance& at, const Instruction& inst);
    Result<void> matrix_memory(Instance& at, const Instruction& inst);

    // operands.cpp
    Result<Operand> source(Instance& at, const Instruction& inst, const ptx::Operand& operand);
    /// Adds the operand, or each element of a vector, to `in`.
    Result<void> sources(Instance& at, const Instruction& inst, const ptx::Operand& operand, std::vector<Operand>& in);
    Result<void> address(Instance& at, const Instruction& inst, const ptx::Operand& operand, Inst& into);
    Result<std::vector<ValueId>> destinations(Instance& at, const Instruction& inst, const ptx::Operand& operand);
    Operand variable_address(Instance& at, const Instruction& inst, std::uint32_t symbol, std::int64_t offset);
    Operand parameter_address(Instance& at, const Instruction& inst, std::uint32_t symbol, std::int64_t offset);
    Operand address_of(const Instruction& inst, ptx::Space space, std::uint32_t symbol, std::int64_t offset);

    // memory.cpp
    Result<void> load(Instance& at, const Instruction& inst);
    Result<void> load_parameter(Instance& at, const Instruction& inst, std::vector<ValueId> outs);
    bool is_kernel_parameter(const Instance& at, const ptx::Operand& address) const;
    void join_halves(const Instruction& inst, Inst load, const std::vector<ValueId>& outs);
    Result<void> store(Instance& at, const Instruction& inst);
    Result<void> store_parameter(Instance& at, const Instruction& inst, const std::vector<Operand>& values);
    void split_halves(const Instruction& inst, const std::vector<Operand>& values, Inst& store);
    Result<void> atomic(Instance& at, const Instruction& inst);
    Result<void> copy_async(Instance& at, const Instruction& inst);
    void reach_cluster(const Instruction& inst, Inst& access);

    // async.cpp
    Result<void> async_op(Instance& at, const Instruction& inst);
    Result<void> async_inputs(Instance& at, const Instruction& inst, const ptx::Operand& operand,
                              std::vector<Operand>& in);
    Result<bool> async_results(Instance& at, const Instruction& inst, std::vector<ValueId>& out);

    // call.cpp
    Result<void> call(Instance& at, const Instruction& inst);
    Result<void> inline_call(Instance& at, const Instruction& inst, std::uint32_t callee);
    Result<void> bind_parameters(Instance& at, Instance& in, const Instruction& inst);
    Result<void> real_call(Instance& at, const Instruction& inst, std::uint32_t callee);
    struct FrameSizes {
        std::vector<std::uint64_t> results, parameters;
    };
    Result<FrameSizes> callee_frame(Instance& at, const Instruction& inst, std::uint32_t callee);
    Operand outgoing(const Instruction& inst, std::uint64_t offset);
    Result<void> pass_arguments(Instance& at, const Instruction& inst, const FrameSizes& sizes);
    void fetch_results(Instance& at, const Instruction& inst, const FrameSizes& sizes);
    Result<void> system_call(Instance& at, const Instruction& inst, SystemCall which);
    Result<std::vector<Operand>> call_words(Instance& at, const Instruction& inst);
    std::uint32_t storage_of(Instance& at, std::uint32_t variable);
    Operand load_storage(const Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type);
    void store_storage(const Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type,
                       Operand value);

    ValueId temp(ptx::Type type) { return new_value(f_, type); }
    Inst& emit(InstKind kind, const Instruction* inst);
    /// Like emit(), for an instruction that has no PTX instruction of its own.
    Inst& emit_glue(InstKind kind, const Instruction& inst);
    void append(Inst inst) { f_.blocks[current_].insts.push_back(std::move(inst)); }
    Error unsupported(const Instruction& inst, const std::string& why) const;
    Error unsupported(const Details& inst, const std::string& why) const;
    /// The number of operands without a trailing L2 cache policy, which is no operand of the operation.
    static std::size_t operands_of(const Instruction& inst) {
        return inst.operands.size() - (inst.has(ptx::Mod::L2_cache_hint) && !inst.operands.empty() ? 1 : 0);
    }

    const ptx::Module& module_;
    const CallGraph& graph_;
    Function& f_;
    BlockId current_ = kNone;
    const Details* details_ = nullptr;         ///< of the PTX instruction that is being lowered
    std::uint64_t written_ = 0, inlined_ = 0;  ///< PTX instructions lowered so far; of these, in inlined calls
    std::vector<std::uint32_t> inline_stack_;
};

}  // namespace warpwright::simt
