// The one opcode table. opcodes.inc lists each base opcode of PTX once; modifiers.inc each suffix
// that is not a type. The parser, printer, lowering and counters all take their facts from here.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright::ptx {

/// What an instruction is counted as (record::Counts mix_*).
enum class Class : std::uint8_t {
    arithmetic,  ///< fp16 / fp32 / fp64 / integer, by the type suffix
    integer,     ///< integer whatever the suffix (logic, shifts, bit fields, video)
    special,     ///< special function unit: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh
    convert,
    tensor,
    memory,
    warp,     ///< shfl, vote, match, redux, activemask, warp barriers
    barrier,  ///< block barriers and fences
    control,
    move,
    later,  ///< known to the parser, executed by a later release: the engine says so by name
};

enum class Op : std::uint16_t {
#define OPCODE(name, text, cls, min_operands, max_operands) name,
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
Class op_class(Op op);
/// Op::size_ / Mod::size_ when the text is not in the table.
Op op_from(std::string_view text);
Mod mod_from(std::string_view text);

}  // namespace warpwright::ptx
