// A PTX instruction as the lowering decoded it: what the engine and the machine view may ask of it. They know no tree
// of PTX, so a kernel whose IR was written by hand, or read back from a dump, is as good as one that was parsed.
//
// The plain names of PTX's own tables (opcodes, suffixes, types, state spaces, special registers) are the warp IR's
// too: lists of our own would say each of them twice. Whoever uses the IR takes them from here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ptx/ast.hpp"

namespace warpwright::simt {

using ptx::bits;
using ptx::bytes;
using ptx::Class;
using ptx::Cost;
using ptx::Destination;
using ptx::Effect;
using ptx::element;
using ptx::elements;
using ptx::facts;
using ptx::Family;
using ptx::Form;
using ptx::is_bf16;
using ptx::is_float;
using ptx::is_half;
using ptx::is_packed16;
using ptx::is_signed;
using ptx::is_untyped;
using ptx::Mod;
using ptx::Op;
using ptx::SourceLine;
using ptx::Space;
using ptx::SpecialReg;
using ptx::spelling;
using ptx::Type;

/// The order that PTX's memory model gives an access or a fence.
enum class MemoryOrder : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc };
/// The threads with which a strong access is ordered.
enum class Scope : std::uint8_t { none, block, cluster, device, system };
/// What a cache operator asks for.
enum class CacheOperator : std::uint8_t { none, all, global, streaming, last_use, again, back, through };

/// How an instruction accesses memory.
struct Access {
    MemoryOrder order = MemoryOrder::weak;
    Scope scope = Scope::none;
    CacheOperator cache = CacheOperator::none;
    std::uint8_t vector = 1;  ///< elements: .v2, .v4, .v8
    bool is_volatile = false;
    bool mmio = false;
    bool atomic = false;  ///< atom, red: strong whatever is written
    bool operator==(const Access&) const = default;

    /// Whether the memory model calls it strong (PTX ISA, "Memory Consistency Model: Operation types"). Only strong
    /// operations may take part in synchronisation; the compiler may join and move weak ones.
    bool strong() const { return atomic || is_volatile || mmio || order != MemoryOrder::weak; }
    bool acquires() const { return order == MemoryOrder::acquire || order == MemoryOrder::acq_rel; }
    bool releases() const { return order == MemoryOrder::release || order == MemoryOrder::acq_rel; }
    /// Whether a load has to look at memory each time that it runs: strong ones, and those that ask for it (.cv).
    bool looks_again() const { return strong() || cache == CacheOperator::again; }
};

/// IEEE rounding of floating-point results, and of conversions to integers.
enum class Rounding : std::uint8_t { nearest_even, nearest_away, zero, down, up };

/// What suffixes say of a computation.
struct Arithmetic {
    Rounding rounding = Rounding::nearest_even;  ///< of .rn .rz .rm .rp .rna and the .r?i forms
    bool flush = false;                          ///< .ftz: subnormal numbers are zeros
    bool saturate = false;                       ///< .sat
    bool operator==(const Arithmetic&) const = default;
};

/// The shape of a matrix product, as .m16n8k16 names it; zeros where no suffix does.
struct Extent {
    unsigned m = 0, n = 0, k = 0;
    bool operator==(const Extent&) const = default;
};

/// An operand as it was written, for instructions whose meaning depends on it: how many registers are in braces, which
/// part of a register is meant, the value of a constant.
struct Written {
    using Kind = ptx::Operand::Kind;
    Kind kind = Kind::sink;
    bool minus = false;       ///< -reg
    bool negated = false;     ///< !p
    std::uint64_t value = 0;  ///< of an integer
    std::string text;         ///< the selector of a video instruction: "b0", "h1"
    std::vector<Written> elements;
    bool operator==(const Written&) const = default;
};

struct Details {
    Op op{};
    std::vector<Mod> mods;         ///< every suffix that is not a type, in the order written
    std::vector<Type> types;       ///< every type suffix, in the order written
    std::uint8_t types_at = 0xff;  ///< how many of `mods` are spelled before the types; 0xff: all of them
    Access access;
    Arithmetic arithmetic;
    Extent extent;
    std::vector<Written> operands;       ///< destination(s) first; none where nobody's meaning depends on them
    bool waits = false;                  ///< a warp may have to wait here
    bool nounroll = false;               ///< a loop that begins here stays as it is
    std::uint32_t line = 0, column = 0;  ///< place in the PTX text
    SourceLine source;                   ///< the program's line
    SourceLine inlined_at;               ///< where the program called what was inlined; else none

    bool has(Mod mod) const {
        for (const Mod m : mods)
            if (m == mod) return true;
        return false;
    }
    Type type(std::size_t i = 0) const { return i < types.size() ? types[i] : Type::none; }
    /// "add.rn.f32": the opcode with all suffixes.
    std::string spelling() const;
    /// The state space that it names; generic when it names none.
    Space space() const;
};

Details decode(const ptx::Instruction& instruction);
/// From "ld.global.v4.f32" alone, without operands and place; none: it spells no instruction.
std::optional<Details> decode(std::string_view spelling);

/// The type of operand `index` of an instruction (0: the destination), by the letters of its row in ptx/opcodes.inc;
/// the first type suffix where they say nothing.
Type operand_type(const Details& details, unsigned index);

struct CallGraph;

/// The instructions of a module, each decoded once, however many kernels and block shapes are lowered. Several threads
/// may lower at once.
class Decoded {
public:
    /// Those of a function's body, in their order.
    const std::vector<Details>& of(const ptx::Function& function);
    /// The calls between the module's functions.
    std::shared_ptr<const CallGraph> calls(const ptx::Module& module);

private:
    std::mutex mutex_;
    std::shared_ptr<const CallGraph> calls_;
    std::map<const ptx::Function*, std::vector<Details>> functions_;
};

}  // namespace warpwright::simt
