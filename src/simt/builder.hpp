// Internal to the lowering of PTX to the warp IR: the state that build.cpp, build_inst.cpp and storage.cpp share.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "simt/passes.hpp"

namespace warpwright::simt {

/// A parameter variable of a call (or of an inlined callee): bytes that become registers where every access is
/// at a constant place, local memory otherwise.
struct Storage {
    std::uint64_t size = 0;
    std::uint32_t align = 8;
    bool in_memory = false;    ///< its address is taken, or it belongs to a really called function's frame
    std::uint64_t offset = 0;  ///< local memory offset once placed there
    bool placed = false;
};

/// One activation of a PTX function being written into the graph: the kernel itself or an inlined call.
struct Instance {
    const ptx::Function* source = nullptr;
    ptx::SymbolId id = ptx::kNoId;
    std::uint32_t register_base = 0;
    ValueId carry = kNone;                            ///< the condition code register CC.CF
    std::map<ptx::SymbolId, std::uint32_t> storages;  ///< param variables -> storage
    ptx::SourceLine from;                             ///< the program's line that called it; none in the outermost
    BlockId after = kNone;                            ///< where `ret` goes; kNone in the outermost
    std::vector<BlockId> label_blocks;
};

struct CallGraph {
    std::vector<std::vector<std::uint32_t>> callees;
    std::vector<bool> recursive, address_taken;
    std::vector<std::uint64_t> size;  ///< instructions with everything inlined
};
CallGraph call_graph(const ptx::Module& module);

class Builder {
public:
    Builder(const ptx::Module& module, const CallGraph& graph, Function& out)
        : module_(module), graph_(graph), f_(out) {}

    Result<void> run(ptx::SymbolId function);

private:
    // build.cpp
    Result<void> body(Instance& at);
    Result<void> one(Instance& at, const ptx::Instruction& inst);
    const ptx::Instruction& placed(const Instance& at, const ptx::Instruction& inst);
    Result<void> branch(Instance& at, const ptx::Instruction& inst);
    BlockId new_block();
    void jump_to(BlockId target, const ptx::Instruction* inst, bool counted);
    void place_shared(const std::set<std::uint32_t>& functions);

    // build_inst.cpp
    Result<void> effect(Instance& at, const ptx::Instruction& inst);
    Result<void> data(Instance& at, const ptx::Instruction& inst);
    void reach_cluster(const ptx::Instruction& inst, Inst& access);
    Result<void> memory(Instance& at, const ptx::Instruction& inst);
    Result<void> warp_op(Instance& at, const ptx::Instruction& inst);
    Result<void> barrier(Instance& at, const ptx::Instruction& inst);
    Result<void> matrix(Instance& at, const ptx::Instruction& inst);
    Result<void> move(Instance& at, const ptx::Instruction& inst);
    Result<void> convert_address(Instance& at, const ptx::Instruction& inst);
    Result<Operand> source(Instance& at, const ptx::Instruction& inst, const ptx::Operand& operand);
    Result<void> address(Instance& at, const ptx::Instruction& inst, const ptx::Operand& operand, Inst& into);
    Result<std::vector<ValueId>> destinations(Instance& at, const ptx::Instruction& inst, const ptx::Operand& operand);
    Operand variable_address(Instance& at, const ptx::Instruction& inst, std::uint32_t symbol, std::int64_t offset);

    // build_async.cpp
    static bool is_async(const ptx::Instruction& inst);
    Result<void> async_op(Instance& at, const ptx::Instruction& inst);
    Result<void> async_inputs(Instance& at, const ptx::Instruction& inst, const ptx::Operand& operand,
                              std::vector<Operand>& in);

    // call.cpp
    Result<void> call(Instance& at, const ptx::Instruction& inst);
    Result<void> inline_call(Instance& at, const ptx::Instruction& inst, std::uint32_t callee);
    Result<void> real_call(Instance& at, const ptx::Instruction& inst, std::uint32_t callee);
    Result<void> system_call(Instance& at, const ptx::Instruction& inst, SystemCall which);
    std::uint32_t storage_of(Instance& at, std::uint32_t variable);
    Operand load_storage(const ptx::Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type);
    void store_storage(const ptx::Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type,
                       Operand value);

    // storage.cpp
    void promote();

    ValueId temp(ptx::Type type);
    Inst& emit(InstKind kind, const ptx::Instruction* inst);
    Error unsupported(const ptx::Instruction& inst, const std::string& why) const;

    const ptx::Module& module_;
    const CallGraph& graph_;
    Function& f_;
    BlockId current_ = kNone;
    std::vector<Storage> storages_;
    std::vector<std::uint32_t> inline_stack_;
};

/// The state space an instruction names; generic when it names none.
ptx::Space space_of(const ptx::Instruction& inst);

/// The register class a PTX register type is kept in: pred, b16, b32, b64, b128, f32 or f64.
ptx::Type register_class(ptx::Type type);

/// Marks a local access relative to the end of the frame (the callee's frame); patched by storage.cpp.
inline constexpr std::uint32_t kOutgoing = 0xfffffff0u;

}  // namespace warpwright::simt
