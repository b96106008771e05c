// The scopes of PTX are reduced to two, the block and all that is wider, because the checkers tell no more of them
// apart.
#include "engine/shared/check_order.hpp"

namespace warpwright::engine {

CheckOrder order_of(const simt::Access& access) {
    CheckOrder o;
    const bool block = access.scope == simt::Scope::block;
    if (access.is_volatile)
        o.strength = shadow::kVolatile;
    else if (access.strong())
        o.strength = block ? shadow::kStrongBlock : shadow::kStrong;
    o.acquire = access.acquires();
    o.release = access.releases();
    o.wide = !block;
    return o;
}

}  // namespace warpwright::engine
