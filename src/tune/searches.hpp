// The searches that have files of their own. Internal to this room.
#pragma once

#include "tune/search.hpp"

namespace warpwright::tune {

std::unique_ptr<Search> make_guided(const Space& space, std::size_t at_once);

}  // namespace warpwright::tune
