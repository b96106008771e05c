// The destructor is here, so that the header with the requests need not include the engine.
#include "engine/shared/requests.hpp"

#include "engine/shared/grid_engine.hpp"

namespace warpwright::engine {

ParameterBlock::~ParameterBlock() {
    if (at_ && engine_) engine_->give_back(at_, barrier_, written_);
}

}  // namespace warpwright::engine
