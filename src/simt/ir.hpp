// The warp IR: one kernel (or one device function that is not inlined) as a control-flow graph over typed values,
// executed a warp at a time. Passes (passes.hpp) take it from the PTX tree to static single assignment, in an order in
// which lanes meet again as early as possible. No LLVM here.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "simt/details.hpp"

namespace warpwright::simt {

using ValueId = std::uint32_t;
using BlockId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffu;

/// An operand: a value, a constant, or nothing (undefined: reads as zero).
struct Operand {
    enum class Kind : std::uint8_t { none, value, integer, real };
    Kind kind = Kind::none;
    bool negated = false;   ///< !p on predicates
    bool f32_bits = false;  ///< real given as the bits of an f32
    ValueId value = kNone;
    std::uint64_t bits = 0;  ///< integer: the value; real: bits of an f64 (or f32)

    static Operand of(ValueId v) {
        Operand o;
        o.kind = Kind::value;
        o.value = v;
        return o;
    }
    static Operand integer(std::uint64_t v) {
        Operand o;
        o.kind = Kind::integer;
        o.bits = v;
        return o;
    }
    bool is_value() const { return kind == Kind::value; }
    bool is_integer() const { return kind == Kind::integer; }
};

enum class InstKind : std::uint8_t {
#define KIND(name, pure, fewest, results) name,
#include "simt/kinds.inc"
#undef KIND
};

/// How many results an instruction of a kind has.
enum class Results : std::uint8_t { none, one, some, any };

/// A row of kinds.inc.
struct KindFacts {
    const char* name;
    bool pure;
    std::uint8_t fewest_inputs;
    Results results;
};
const KindFacts& facts(InstKind kind);

/// Functions the engine supplies to kernels.
enum class SystemCall : std::uint8_t {
    none,
    print,
    assert_fail,
    allocate,
    release,
#define WW_DEVICE_CALL(name, inputs, result) name,
#include "simt/device_calls.inc"
#undef WW_DEVICE_CALL
};

struct Inst {
    InstKind kind = InstKind::nop;
    const Details* ptx = nullptr;  ///< what the PTX instruction that it comes from says; null for phi and glue
    std::vector<Operand> in;
    std::vector<ValueId> out;  ///< kNone entries are unused results
    ptx::Space space = ptx::Space::generic;
    ptx::Type type = ptx::Type::none;  ///< element type of memory and move instructions
    std::int64_t offset = 0;           ///< added to the address in[0]
    std::uint32_t symbol = kNone;      ///< variable, function, or (before they are promoted) Function::storages
    std::uint32_t copy_bytes = 0;      ///< copy_async: 4, 8 or 16
    ptx::SpecialReg special{};
    SystemCall system = SystemCall::none;
    bool counted = true;        ///< false for glue that has no PTX instruction of its own
    std::vector<BlockId> from;  ///< phi: predecessor of each in[]
};

struct Terminator {
    enum class Kind : std::uint8_t { jump, branch, multiway, exit, ret, trap };
    Kind kind = Kind::exit;
    const Details* ptx = nullptr;
    Operand condition;             ///< branch: predicate; multiway: index
    std::vector<BlockId> targets;  ///< jump: 1; branch: taken, not taken; multiway: list
    bool counted = true;           ///< false when it represents no PTX branch (guards, glue)
};

struct Block {
    std::vector<Inst> insts;
    Terminator end;
    std::vector<BlockId> preds;
    std::uint32_t loop = kNone;  ///< innermost loop
    bool sync = false;           ///< the first instruction waits for other lanes or warps
    bool yield = false;          ///< a warp's turn ends before it (talks_to_others), in a function that may spin
};

struct Loop {
    BlockId header = kNone, latch = kNone;
    std::uint32_t parent = kNone;
    unsigned depth = 1;
    bool spins = false;  ///< reads memory others may change and has a lane-dependent exit
    std::vector<BlockId> blocks;
};

struct Value {
    ptx::Type type = ptx::Type::b32;  ///< register type: pred, b16, b32, b64, b128, f32, f64
    BlockId block = kNone;
    std::uint32_t inst = kNone;  ///< index in the block
};

/// A variable placed by the lowering: shared and local ones have an offset in the block's or lane's memory.
struct Placement {
    std::uint64_t offset = 0;
    bool placed = false;
};

/// A parameter variable of a call (or of an inlined callee): its bytes become registers if every access is at a
/// constant place, else local memory.
struct Storage {
    std::uint64_t size = 0;
    std::uint32_t align = 8;
    bool in_memory = false;    ///< its address is taken, or it belongs to the frame of a function that is not inlined
    std::uint64_t offset = 0;  ///< local memory offset once placed there
    bool placed = false;
};

/// The properties of a function's graph after a stage; verify() checks them.
enum class Stage : std::uint8_t {
    built,    ///< blocks in any order, some unreachable; predecessors and loops not known; values are registers
    ordered,  ///< blocks in the order of execution, with predecessors and loops; values are registers
    ssa,      ///< ordered, and each value is written once
};

struct Function {
    std::string name;
    const ptx::Module* module = nullptr;
    const ptx::Function* source = nullptr;
    bool kernel = true;
    Stage stage = Stage::built;
    std::vector<Value> values;
    std::vector<Block> blocks;  ///< after ordering: block 0 is the entry, order is execution priority
    std::vector<Loop> loops;
    std::vector<Placement> placements;         ///< by variable
    std::vector<Storage> storages;             ///< parameter variables of calls; none once they are promoted
    std::uint64_t static_shared = 0;           ///< bytes
    std::uint64_t local_bytes = 0;             ///< bytes per lane
    std::uint32_t param_bytes = 0;             ///< kernel parameter block
    std::vector<std::uint32_t> param_offsets;  ///< by parameter
    bool irreducible = false;
    bool strict = false;                        ///< lanes may run ahead of each other inside a loop (spin loops)
    bool has_calls = false;                     ///< contains calls that are not inlined
    bool waits = false;                         ///< contains block barriers
    std::vector<std::uint32_t> callees;         ///< functions called without inlining
    std::vector<std::uint32_t> dynamic_shared;  ///< extern shared variables (all at the end of static)
    unsigned registers_estimate = 0;
    /// What the instructions point to: the module's, and copies of these that record the program's line from which they
    /// were called (see build()).
    std::shared_ptr<Decoded> decoded;
    std::shared_ptr<std::deque<Details>> placed;
};

/// The register class that a PTX register type is kept in: pred, b16, b32, b64, b128, f32 or f64.
ptx::Type register_class(ptx::Type type);
/// Whether it reads a clock or timer.
bool reads_clock(const Function& f);
bool reads_clock(const Inst& i);
/// A new register, or value, of that class.
ValueId new_value(Function& f, ptx::Type type);

/// As Inst::symbol of an address: it is relative to the end of the frame (the frame of the function called next), until
/// promote_parameters() knows that place.
inline constexpr std::uint32_t kOutgoing = 0xfffffff0u;

}  // namespace warpwright::simt
