// The lookups behind types.hpp and opcodes.hpp. Every table is built once, from the .inc lists.
#include <iterator>
#include <unordered_map>
#include <utility>

#include "ptx/ast.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {
namespace {

enum class TypeKind : std::uint8_t { none, pred, untyped, integer, signed_, floating, handle };
/// A row of types.inc.
struct TypeFacts {
    std::string_view text;
    unsigned short bits;
    TypeKind kind;
    Type element;
    std::uint8_t elements;
};
constexpr TypeFacts kTypes[] = {
    {"", 0, TypeKind::none, Type::none, 1},
#define TYPE(name, text, bits, kind, element, elements) {text, bits, TypeKind::kind, Type::element, elements},
#include "ptx/types.inc"
#undef TYPE
};
constexpr const TypeFacts& facts(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr OpFacts kOps[] = {
#define OPCODE(name, spelling, fewest_operands, most_operands, cls_, form_, ...) \
    OpFacts{.text = spelling,                                                    \
            .fewest = fewest_operands,                                           \
            .most = most_operands,                                               \
            .cls = Class::cls_,                                                  \
            .form = Form::form_ __VA_OPT__(, ) __VA_ARGS__},
#include "ptx/opcodes.inc"
#undef OPCODE
};
// The timing model has a figure for every data instruction; the other forms have theirs (machine/translate.cpp).
constexpr bool costs_are_named() {
    for (const OpFacts& row : kOps)
        if ((row.form == Form::data) != (row.cost != Cost::none)) return false;
    return true;
}
static_assert(costs_are_named(), "a row of opcodes.inc is a data instruction without .cost, or has one but is none");
constexpr std::string_view kMods[] = {
#define MODIFIER(name, text) std::string_view(text),
#include "ptx/modifiers.inc"
#undef MODIFIER
};
struct SregRow {
    std::string_view text;
    unsigned bits;
};
constexpr SregRow kSregs[] = {
#define SREG(name, text, bits) SregRow{text, bits},
#include "ptx/sregs.inc"
#undef SREG
};

template <class Id>
using TextMap = std::unordered_map<std::string_view, Id>;

const TextMap<Op>& op_map() {
    static const TextMap<Op> map = [] {
        TextMap<Op> out;
        for (std::size_t i = 0; i < std::size(kOps); ++i) out.emplace(kOps[i].text, static_cast<Op>(i));
        return out;
    }();
    return map;
}

// The first words of the opcodes that are spelled with a dot ("cp", "bar", ...), and the number of words of the longest
// of them: the parser tries joined words only for these.
const TextMap<unsigned>& dotted_map() {
    static const TextMap<unsigned> map = [] {
        TextMap<unsigned> out;
        for (const OpFacts& row : kOps) {
            unsigned words = 1;
            for (char c : row.text) words += c == '.';
            if (words == 1) continue;
            unsigned& most = out[row.text.substr(0, row.text.find('.'))];
            if (words > most) most = words;
        }
        return out;
    }();
    return map;
}

// A type and a modifier may share a spelling ("b1", "pred"): it then means the type.
const TextMap<Suffix>& suffix_map() {
    static const TextMap<Suffix> map = [] {
        TextMap<Suffix> out;
        for (std::size_t i = 1; i < std::size(kTypes); ++i)
            out.emplace(kTypes[i].text, Suffix{Suffix::Kind::type, static_cast<Type>(i), Mod::size_});
        for (std::size_t i = 0; i < std::size(kMods); ++i)
            out.emplace(kMods[i], Suffix{Suffix::Kind::mod, Type::none, static_cast<Mod>(i)});
        return out;
    }();
    return map;
}

const TextMap<Mod>& mod_map() {
    static const TextMap<Mod> map = [] {
        TextMap<Mod> out;
        for (std::size_t i = 0; i < std::size(kMods); ++i) out.emplace(kMods[i], static_cast<Mod>(i));
        return out;
    }();
    return map;
}

const TextMap<SpecialReg>& sreg_map() {
    static const TextMap<SpecialReg> map = [] {
        TextMap<SpecialReg> out;
        for (std::size_t i = 0; i < std::size(kSregs); ++i) out.emplace(kSregs[i].text, static_cast<SpecialReg>(i));
        return out;
    }();
    return map;
}

template <class Map, class Value>
Value find_or(const Map& map, std::string_view text, Value none) {
    auto it = map.find(text);
    return it == map.end() ? none : it->second;
}

}  // namespace

unsigned bits(Type type) { return facts(type).bits; }

unsigned bytes(Type type) { return (bits(type) + 7) / 8; }

std::string_view spelling(Type type) { return facts(type).text; }

Type type_from(std::string_view text) {
    Suffix suffix = suffix_from(text);
    return suffix.kind == Suffix::Kind::type ? suffix.type : Type::none;
}

bool is_signed(Type type) { return facts(type).kind == TypeKind::signed_; }

bool is_untyped(Type type) { return facts(type).kind == TypeKind::untyped; }

bool is_float(Type type) { return facts(type).kind == TypeKind::floating; }

Type element(Type type) { return facts(type).element; }

unsigned elements(Type type) { return facts(type).elements; }

std::string_view spelling(Op op) { return kOps[static_cast<std::size_t>(op)].text; }

std::string_view spelling(Mod mod) { return kMods[static_cast<std::size_t>(mod)]; }

Type type_of(char letter, std::span<const Type> types, bool wide) {
    const Type first = types.empty() ? Type::none : types[0], second = types.size() > 1 ? types[1] : Type::none;
    switch (letter) {
        case 'T':
        case 't':
            return first;
        case 'U':
        case 'u':
            return second;
        case 'M':
            return types.size() > 1 ? second : first;
        case 'W':
            if (!wide) return first;
            return bits(first) == 16 ? Type::b32 : Type::b64;
        case 'i':
            return Type::b32;
        case 'p':
            return Type::pred;
        default:
            return Type::none;
    }
}

const OpFacts& facts(Op op) { return kOps[static_cast<std::size_t>(op)]; }

Op op_from(std::string_view text) { return find_or(op_map(), text, Op::size_); }

Mod mod_from(std::string_view text) { return find_or(mod_map(), text, Mod::size_); }

Suffix suffix_from(std::string_view text) { return find_or(suffix_map(), text, Suffix{}); }

unsigned dotted_words(std::string_view first) { return find_or(dotted_map(), first, 1u); }

bool begins_dotted_modifier(std::string_view first) {
    static const std::vector<std::string_view> firsts = [] {
        std::vector<std::string_view> out;
        for (std::string_view text : kMods)
            if (std::size_t dot = text.find('.'); dot != std::string_view::npos) out.push_back(text.substr(0, dot));
        return out;
    }();
    for (std::string_view text : firsts)
        if (text == first) return true;
    return false;
}

std::string_view spelling(SpecialReg reg) { return kSregs[static_cast<std::size_t>(reg)].text; }

unsigned bits(SpecialReg reg) { return kSregs[static_cast<std::size_t>(reg)].bits; }

std::optional<SpecialReg> special_from(std::string_view text) {
    auto it = sreg_map().find(text);
    if (it == sreg_map().end()) return std::nullopt;
    return it->second;
}

SymbolId Module::find_function(std::string_view wanted) const {
    for (std::size_t i = 0; i < functions.size(); ++i)
        if (functions[i].name == wanted) return static_cast<SymbolId>(i);
    return kNoId;
}

bool Instruction::waits() const {
    switch (facts(op).waits) {
        case Waits::never:
            return false;
        case Waits::always:
            return true;
        case Waits::sync:
            return has(Mod::sync);
        case Waits::try_wait:
            return has(Mod::try_wait);
        case Waits::wait:
            return has(Mod::wait);
        case Waits::mma_async:
            return has(Mod::mma_async);
    }
    return false;
}

std::string Instruction::spelling() const {
    std::string out(ptx::spelling(op));
    auto add_types = [&] {
        for (Type t : types) (out += '.') += ptx::spelling(t);
    };
    for (std::size_t i = 0; i < mods.size(); ++i) {
        if (i == types_at) add_types();
        (out += '.') += ptx::spelling(mods[i]);
    }
    if (types_at >= mods.size()) add_types();
    return out;
}

}  // namespace warpwright::ptx
