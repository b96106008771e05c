// The PTX syntax tree: what the parser builds and the printer prints. Names are resolved: an operand
// refers to a register, variable, function or label by index, never by text. It executes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/opcodes.hpp"
#include "ptx/types.hpp"

namespace warpwright::ptx {

using RegId = std::uint32_t;
using SymbolId = std::uint32_t;  ///< index into Module::variables or Module::functions, by Operand::Kind
using LabelId = std::uint32_t;
inline constexpr std::uint32_t kNoId = 0xffffffffu;

/// A source position given by `.loc`: file index (Module::files) and line; 0 = none.
struct SourceLine {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    bool operator==(const SourceLine&) const = default;
};

/// Special registers (ISA section "Special Registers"); opcodes.inc's sibling sregs.inc lists them.
enum class SpecialReg : std::uint8_t {
#define SREG(name, text, bits) name,
#include "ptx/sregs.inc"
#undef SREG
};
std::string_view spelling(SpecialReg reg);
unsigned bits(SpecialReg reg);

struct Operand {
    enum class Kind : std::uint8_t {
        reg,       ///< register `reg`; `negated` for !p
        sink,      ///< the bit bucket `_`
        integer,   ///< `value` holds the 64-bit two's complement value
        real,      ///< `value` holds the bits of an f64 (`is_f32_bits`: of an f32, from 0f........)
        special,   ///< special register `special`
        variable,  ///< address of variable `symbol` plus `offset` (mov, call arguments)
        function,  ///< address of function `symbol`
        label,     ///< branch target `label`
        address,   ///< [base + offset]: base is `base` below; `elements` holds what follows a comma: [tex, {x, y}]
        vector,    ///< {a, b, ...}: `elements`
        pair,      ///< p|q: `elements` has two entries (each reg or sink)
        text,      ///< anything carried as text (call prototypes' label, branch-target tables' label)
    };
    enum class Base : std::uint8_t { none, reg, variable };

    Kind kind = Kind::sink;
    Base base = Base::none;  ///< for address: register, variable or an absolute number in `offset`
    bool negated = false;    ///< !p
    bool minus = false;      ///< -reg where the grammar allows it (rare)
    bool is_f32_bits = false;
    SpecialReg special{};
    std::uint8_t component = 0;  ///< (unused: special registers carry their component)
    RegId reg = kNoId;
    SymbolId symbol = kNoId;
    LabelId label = kNoId;
    std::int64_t offset = 0;
    std::uint64_t value = 0;
    std::vector<Operand> elements;
    std::string text;  ///< for `text`; for reg: the selector of video instructions ("b0", "h1"), else empty
};

/// A guard `@p` or `@!p`.
struct Guard {
    RegId reg = kNoId;
    bool negated = false;
};

struct Call {
    bool uniform = false;
    std::vector<Operand> results;     ///< param variables or registers
    std::vector<Operand> arguments;   ///< param variables, registers or immediates
    Operand target;                   ///< function (direct) or reg (indirect)
    std::vector<SymbolId> targets;    ///< functions named by a .calltargets list; may be empty
    std::uint32_t prototype = kNoId;  ///< index into Function::prototypes for indirect calls
};

struct Instruction {
    Op op{};
    std::vector<Mod> mods;         ///< every suffix that is not a type, in the order written
    std::vector<Type> types;       ///< every type suffix, in the order written
    std::uint8_t types_at = 0xff;  ///< how many of `mods` are spelled before the types; 0xff: all of them
    std::optional<Guard> guard;
    std::vector<Operand> operands;        ///< destination(s) first, as written
    std::optional<Call> call;             ///< for Op::call
    std::vector<LabelId> branch_targets;  ///< for brx.idx: the resolved list
    std::uint32_t line = 0, column = 0;   ///< place in the PTX text
    SourceLine source;                    ///< from the last .loc
    SourceLine inlined_at;                ///< call site when .loc says inlined_at; else none
    bool nounroll = false;  ///< .pragma "nounroll" stands before it: a loop that begins here stays as it is

    bool has(Mod mod) const {
        for (Mod m : mods)
            if (m == mod) return true;
        return false;
    }
    Type type(std::size_t i = 0) const { return i < types.size() ? types[i] : Type::none; }
    /// Whether a warp may have to wait here (facts().waits, with the modifiers).
    bool waits() const;
    /// "add.rn.f32": the opcode with all suffixes, in the order the table prints them.
    std::string spelling() const;
};

/// An item of an initialiser that is an address: patched when the module is loaded.
struct Relocation {
    std::uint64_t offset = 0;  ///< byte offset in Variable::init
    bool is_function = false;
    SymbolId symbol = kNoId;
    std::int64_t addend = 0;
    bool generic = false;    ///< generic(var)
    std::uint8_t size = 8;   ///< bytes written
    std::uint8_t shift = 0;  ///< the address is shifted right by this many bits first (a lone byte of it)
    bool operator==(const Relocation&) const = default;
};

enum class Linkage : std::uint8_t { none, external, visible, weak, common };

struct Variable {
    std::string name;  ///< as written; function-scope names may repeat
    Space space = Space::global;
    Type type = Type::b8;
    std::uint32_t align = 0;  ///< 0: natural
    std::uint8_t vector = 1;  ///< .v2 / .v4
    std::uint64_t size = 0;   ///< bytes in all; 0 for an unsized extern array
    Linkage linkage = Linkage::none;
    std::vector<std::uint8_t> init;  ///< empty or `size` bytes
    std::vector<Relocation> relocations;
    SymbolId function = kNoId;             ///< owner for function-scope variables; kNoId at module scope
    RegId reg = kNoId;                     ///< for Space::reg (a .func parameter in a register): that register
    bool is_pointer = false;               ///< parameter declared `.ptr`
    Space pointer_space = Space::generic;  ///< of the `.ptr`
    std::uint32_t pointer_align = 0;       ///< of the `.ptr`, bytes; 0: not said
    bool managed = false;                  ///< .attribute(.managed)
    std::uint32_t line = 0;
};

struct Register {
    std::string name;
    Type type = Type::b32;
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;  ///< index in Function::body it stands before (may equal body.size())
};

/// `.callprototype`
struct Prototype {
    std::string label;
    std::vector<SymbolId> results, parameters;  ///< param-space variables owned by the function
    bool noreturn = false;
};

/// Performance directives of a function (.maxntid and so on); 0 = absent.
struct Directives {
    std::uint32_t maxntid[3] = {0, 0, 0};
    std::uint32_t reqntid[3] = {0, 0, 0};
    std::uint32_t minnctapersm = 0, maxnreg = 0;
    std::uint32_t reqnctapercluster[3] = {0, 0, 0};
    bool explicitcluster = false;
    bool noreturn = false;
    std::uint32_t maxclusterrank = 0;
    bool blocksareclusters = false;
    bool operator==(const Directives&) const = default;
};

struct Function {
    std::string name;
    bool entry = false;    ///< .entry (kernel) or .func
    bool defined = false;  ///< has a body
    Linkage linkage = Linkage::none;
    SymbolId alias_of = kNoId;         ///< `.alias name, other`: the function it stands for
    std::vector<SymbolId> results;     ///< .func: param-space variables (or `registers` when .reg)
    std::vector<SymbolId> parameters;  ///< param-space variables in order
    Directives directives;
    std::vector<Register> registers;
    std::vector<Label> labels;
    std::vector<Prototype> prototypes;
    std::vector<Instruction> body;
    SourceLine source;  ///< of the first instruction that has one
    std::uint32_t line = 0;
};

struct Module {
    std::uint32_t version_major = 0, version_minor = 0;
    std::string target;  ///< "sm_90a"
    std::uint32_t address_size = 64;
    std::vector<std::string> files;  ///< by .file index; [0] unused
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::string name;  ///< what the text is called in messages

    /// Index of the function called `name`, or kNoId.
    SymbolId find_function(std::string_view name) const;
};

}  // namespace warpwright::ptx
