// What the layout tells the runtime about instructions: the site of each memory instruction, barriers, and decoded
// forms. Each is registered once, when its first copy is written.
#pragma once

#include <memory>

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Adds a site with the instruction's place to the list; returns its index in this function.
unsigned add_site(FunctionState& fn, const SiteInfo& site);
/// A new site of the instruction, with nothing else filled in.
SiteInfo site_at(const FunctionState& fn, const simt::Inst& i, simt::Space space);
/// The site of a load, a store or an atomic.
unsigned site_index(FunctionState& fn, const simt::Inst& i);
/// The number by which the runtime knows a site of this function.
V site_number(FunctionState& fn, unsigned site);
unsigned barrier_index(FunctionState& fn, const simt::Inst& i);
/// The number by which the runtime knows a decoded instruction.
unsigned form_index(FunctionState& fn, const simt::Inst& i, std::shared_ptr<void> form);

}  // namespace warpwright::engine::codegen
