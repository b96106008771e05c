// Which line of PTX generated code comes from, and what it does there (CodegenOptions::places): as debug information,
// by which samples of this machine's time are told apart (support/host_time.hpp).
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/host_time.hpp"

namespace warpwright::engine::codegen {

/// The function that is about to be written tells of its places.
void begin_places(FunctionState& fn);
/// What follows is written for an instruction, by what it does; for the end of a block; for no instruction.
void place_instruction(FunctionState& fn, const simt::Inst& i);
void place_end(FunctionState& fn, const simt::Terminator& end);
void place_between(FunctionState& fn, host_time::Work work);

/// While it lives, what is written does this, for the same line.
class PlacedAs {
public:
    PlacedAs(FunctionState& fn, host_time::Work work);
    ~PlacedAs();
    PlacedAs(const PlacedAs&) = delete;
    PlacedAs& operator=(const PlacedAs&) = delete;

private:
    FunctionState& fn_;
    llvm::DebugLoc before_;
};

}  // namespace warpwright::engine::codegen
