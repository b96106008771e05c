// The lookups behind types.hpp and opcodes.hpp. Every table is built once, from the .inc lists.
#include <iterator>
#include <unordered_map>
#include <utility>

#include "ptx/ast.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {
namespace {

constexpr std::string_view kTypeText[] = {std::string_view(""),
#define TYPE_TEXT(name, text, bits) std::string_view(text),
                                          WARPWRIGHT_PTX_TYPES(TYPE_TEXT)
#undef TYPE_TEXT
};
constexpr unsigned short kTypeBits[] = {0,
#define TYPE_BITS(name, text, bits) bits,
                                        WARPWRIGHT_PTX_TYPES(TYPE_BITS)
#undef TYPE_BITS
};

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
        for (std::size_t i = 1; i < std::size(kTypeText); ++i)
            out.emplace(kTypeText[i], Suffix{Suffix::Kind::type, static_cast<Type>(i), Mod::size_});
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

unsigned bits(Type type) { return kTypeBits[static_cast<std::size_t>(type)]; }

unsigned bytes(Type type) { return (bits(type) + 7) / 8; }

std::string_view spelling(Type type) { return kTypeText[static_cast<std::size_t>(type)]; }

Type type_from(std::string_view text) {
    Suffix suffix = suffix_from(text);
    return suffix.kind == Suffix::Kind::type ? suffix.type : Type::none;
}

bool is_signed(Type type) {
    switch (type) {
        case Type::s2:
        case Type::s4:
        case Type::s8:
        case Type::s16:
        case Type::s32:
        case Type::s64:
        case Type::s16x2:
            return true;
        default:
            return false;
    }
}

bool is_untyped(Type type) {
    const std::string_view text = spelling(type);
    return text.size() > 1 && text[0] == 'b' && text[1] >= '0' && text[1] <= '9';
}

bool is_float(Type type) {
    // Every floating-point spelling starts with one of these, and no other type does.
    std::string_view text = spelling(type);
    return text.starts_with('f') || text.starts_with("bf") || text.starts_with("tf") || text.starts_with("ue") ||
           (text.size() > 1 && text[0] == 'e' && text[1] >= '0' && text[1] <= '9');
}

std::string_view spelling(Op op) { return kOps[static_cast<std::size_t>(op)].text; }

std::string_view spelling(Mod mod) { return kMods[static_cast<std::size_t>(mod)]; }

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
