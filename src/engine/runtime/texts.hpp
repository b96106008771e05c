// Where an instruction is and which thread executes it, in the words of messages.
#pragma once

#include <string>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// Where an instruction is, for messages: the kernel's source line when known, else the PTX line.
Location location(const ptx::Module& module, const simt::Details* inst);
/// Of a function as a whole.
Location function_place(const ptx::Module& module, ptx::SymbolId function);
/// A kernel's name as a person writes it.
std::string readable(const std::string& name);
/// "thread (3,0,0) of block (1,0,0)"
std::string thread_text(const BlockContext& context, const WarpFrame& frame, unsigned lane);
/// "block (1,0,0)"
std::string block_text(const BlockContext& context);

}  // namespace warpwright::engine
