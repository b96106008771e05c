// Lookups that only the parser needs: the meaning of a dotted word after an opcode, and opcodes that have dots
// themselves.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ptx/ast.hpp"

namespace warpwright::ptx {

/// A dotted word after an opcode: a type, a modifier, or neither.
struct Suffix {
    enum class Kind : std::uint8_t { unknown, type, mod };
    Kind kind = Kind::unknown;
    Type type = Type::none;
    Mod mod = Mod::size_;
};
Suffix suffix_from(std::string_view text);

/// How many words the longest opcode that begins with this word has (1: none has a dot).
unsigned dotted_words(std::string_view first);

/// True when a modifier with a dot in it ("xorsign.abs") begins with this word.
bool begins_dotted_modifier(std::string_view first);

/// Reads an opcode and its suffixes, given as the words between the dots. Returns which word is known to no table: 0
/// for the opcode, words.size() where all is well.
std::size_t read_spelling(std::span<const std::string_view> words, Instruction& out);
/// "ld.global.f32" as an instruction without operands; none: it spells none.
std::optional<Instruction> spelled(std::string_view text);

/// "%tid.x" -> tid_x.
std::optional<SpecialReg> special_from(std::string_view text);

}  // namespace warpwright::ptx
