#include "engine/shared/check_order.hpp"

namespace warpwright::engine {

using ptx::Mod;

CheckOrder order_of(const ptx::Instruction& i, bool atomic) {
    CheckOrder o;
    const bool block = i.has(Mod::cta);
    const bool strong = atomic || i.has(Mod::relaxed) || i.has(Mod::acquire) || i.has(Mod::release) ||
                        i.has(Mod::acq_rel) || i.has(Mod::mmio);
    if (i.has(Mod::volatile_))
        o.strength = shadow::kVolatile;
    else if (strong)
        o.strength = block ? shadow::kStrongBlock : shadow::kStrong;
    o.acquire = i.has(Mod::acquire) || i.has(Mod::acq_rel);
    o.release = i.has(Mod::release) || i.has(Mod::acq_rel);
    o.wide = !block;
    return o;
}

}  // namespace warpwright::engine
