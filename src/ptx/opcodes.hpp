// The one opcode table. opcodes.inc lists each base opcode of PTX once; modifiers.inc each suffix
// that is not a type. The parser, printer, lowering and counters all take their facts from here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/types.hpp"

namespace warpwright::ptx {

/// What an instruction is counted as (record::Counts mix_*).
enum class Class : std::uint8_t {
    arithmetic,  ///< fp16 / fp32 / fp64 / integer, by the type suffix
    integer,     ///< integer whatever the suffix (logic, shifts, bit fields, video)
    special,     ///< special function unit: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh
    convert,
    tensor,
    memory,   ///< loads, stores, atomics, copies, textures and surfaces
    warp,     ///< shfl, vote, match, redux, activemask, warp barriers
    barrier,  ///< block barriers and fences
    control,
    move,
};

/// How an instruction becomes warp IR. Most forms are those of simt::InstKind; a new opcode of a form that is here
/// needs no change of the lowering.
enum class Form : std::uint8_t {
    not_executed,  ///< known to the parser; the lowering refuses it by name
    data,          ///< a value of registers; its meaning stands in engine/codegen/arith
    move,
    convert_address,  ///< cvta
    in_space,         ///< isspacep
    policy,           ///< createpolicy
    load,
    store,
    atomic,
    copy_async,
    copy_group,
    prefetch,  ///< counted, does nothing
    shuffle,
    vote,
    match,
    reduce,
    active_mask,
    elect,
    warp_barrier,
    matrix_move,
    matrix,
    wgmma,
    barrier,
    fence,
    // By a C++ function for all lanes; its meaning stands in engine/runtime.
    mbarrier,
    bulk_copy,
    cluster_barrier,
    cluster_address,  ///< mapa, getctarank
    texture,
    tensor_map,
    nothing,        ///< counted, does nothing
    set_registers,  ///< setmaxnreg: checked, does nothing
    call,
    jump,  ///< ends its block
    sleep,
    stop,  ///< brkpt
};

/// Where a data instruction's meaning stands in engine/codegen/arith.
enum class Family : std::uint8_t {
    none,
    by_type,       ///< half, float or integer
    add_or_carry,  ///< the same, or carry with .cc
    floating,      ///< half or float
    divide,        ///< half, float or integer division
    integer,
    carry,
    special,
    logic,
    bits,
    dot,
    compare,
    convert,
    convert_pack,
    video,
    video_simd,
};

/// What a data instruction costs in the machine view: which rule of machine/data_costs gives its pipe, its issue slots
/// and its cycles, by type and modifiers. Every data instruction names one.
enum class Cost : std::uint8_t {
    none,        ///< it is no data instruction: its form says what it costs
    add,         ///< one operation of its type's adder
    multiply,    ///< one operation of its type's multiplier
    multiply24,  ///< the product of 24-bit numbers, which no unit has any more
    floating,    ///< one operation of the unit for its floating-point type
    sign,        ///< abs and neg: a modifier of whoever reads a floating-point number
    choose,      ///< minimum and maximum
    divide,      ///< a sequence
    reciprocal,  ///< of the special function unit, with what makes it exact
    root,        ///< the same, for a square root
    sine,        ///< scaled for the special function unit
    scaled,      ///< one operation of the special function unit, with denormals scaled before and after
    direct,      ///< one operation of the special function unit
    logic,       ///< one operation for each word
    simple,      ///< one operation
    shift,
    field,    ///< bit fields
    count,    ///< of the special function unit: population and first bits
    leading,  ///< the same, and a subtraction
    reverse,
    find_nth,  ///< a loop
    dot,
    compare,
    convert,
    pack,
    video,  ///< a sequence: no unit has it any more
};

/// Whether the first operand is written.
enum class Destination : std::uint8_t {
    none,
    first,
    maybe_first,  ///< where it is no address: mbarrier.arrive has forms with and without a result
};

/// Whether a warp may have to wait at the instruction for its other lanes, other warps or a phase. Such an instruction
/// begins a block of the warp IR, where lanes that came early are put back.
enum class Waits : std::uint8_t {
    never,
    always,
    sync,       ///< with .sync
    try_wait,   ///< with .try_wait
    wait,       ///< with .wait
    mma_async,  ///< with .mma_async
};

/// What an instruction does to memory that others see.
enum class Effect : std::uint8_t {
    none,
    reads,
    writes,
    updates,  ///< reads and writes one place
    moves,    ///< reads, writes or both, as its modifiers say
    orders,   ///< a fence
};

enum class Op : std::uint16_t {
#define OPCODE(name, ...) name,
#include "ptx/opcodes.inc"
#undef OPCODE
    size_
};

enum class Mod : std::uint16_t {
#define MODIFIER(name, text) name,
#include "ptx/modifiers.inc"
#undef MODIFIER
    size_
};

std::string_view spelling(Op op);
std::string_view spelling(Mod mod);

/// A row of opcodes.inc.
struct OpFacts {
    std::string_view text;
    std::uint8_t fewest = 0, most = 0;  ///< operands
    Class cls{};
    Form form{};
    Family family = Family::none;
    bool typed = false;  ///< needs a type suffix
    /// Which types the first, second and third type suffix may be. No set at all: it depends on more than the opcode,
    /// and the lowering or the engine refuses what it does not know.
    TypeSet types[3] = {};
    std::uint8_t fewest_types = 1;  ///< type suffixes that must be there, where `types` has a set
    /// What each operand is, a letter each; those without one are not checked here:
    ///   T  has the first type   U  has the second   M  has the second where one is written, else the first
    ///   W  as T, but twice as wide with .wide   i  32 bits   p  a predicate   n  an integer constant   -  anything
    ///   t  has the first type, but its register may be wider   u  the same for the second
    /// The second half of `d|p` is a predicate.
    std::string_view operands = {};
    Destination destination = Destination::none;
    bool pure = false;       ///< may be executed by lanes whose guard is false, if the result is then dropped
    std::uint8_t flops = 0;  ///< floating-point operations of a lane, where the type is a floating-point one
    Waits waits = Waits::never;
    Effect effect = Effect::none;
    Cost cost = Cost::none;
    /// The compute capability, times ten, from which devices have it (the ISA's "Target ISA Notes"); 0: all that we
    /// know.
    std::uint8_t needs = 0;
};
const OpFacts& facts(Op op);
/// The type that a letter of OpFacts::operands stands for, given an instruction's types and whether it is .wide; none
/// for '-' and 'n'.
Type type_of(char letter, std::span<const Type> types, bool wide);
/// Op::size_ / Mod::size_ when the text is not in the table.
Op op_from(std::string_view text);
Mod mod_from(std::string_view text);

}  // namespace warpwright::ptx
