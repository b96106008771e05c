// What the printer and the reader of the warp IR agree on (text.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/ir.hpp"

namespace warpwright::simt::text {

std::string_view name(Space space);
std::optional<Space> space_from(std::string_view text);
std::string_view name(SystemCall call);
std::optional<SystemCall> system_call_from(std::string_view text);
std::string_view name(Terminator::Kind kind);
std::optional<Terminator::Kind> terminator_from(std::string_view text);
std::string_view name(Stage stage);
std::optional<Stage> stage_from(std::string_view text);
std::optional<InstKind> kind_from(std::string_view text);

/// Whether the first input of such an instruction is an address, written in brackets.
bool has_address(InstKind kind);
/// The space and the element type that an instruction of this kind has where its text names none.
Space implied_space(const Inst& inst);
Type implied_type(const Inst& inst, const Function& f);

/// A variable's name, with its number behind it where the module has two of that name: "tile", "tile#4".
std::string name_of(const ptx::Module& module, std::uint32_t variable);
std::optional<std::uint32_t> variable_from(const ptx::Module& module, std::string_view text);

/// How the operands were written; empty: as the instruction's inputs and results imply it.
std::string written(const Inst& inst);
/// The operands that a text of written() describes; nothing: it is no such text.
std::optional<std::vector<Written>> written_from(std::string_view text);
/// The operands that a data instruction's inputs and results imply.
std::vector<Written> implied_operands(const Inst& inst);

}  // namespace warpwright::simt::text
