// Loads and stores whose lanes lie as at their site's last request: moved by the order that the runtime has made of it.
#pragma once

#include <functional>

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Loads in the order of the site's last request where the lanes lie as there, else by `other`; all lanes are active.
/// `base`: the first lane's address; `apart`: how far each lane lies from there, in the bits that the address has. The
/// lanes' values, as bundle() has them.
V load_in_order(FunctionState& fn, const Access& a, V base, V apart, const std::function<V()>& other);
/// The same for stores.
void store_in_order(FunctionState& fn, const Access& a, V base, V apart, const std::vector<V>& values,
                    const std::function<void()>& other);

}  // namespace warpwright::engine::codegen
