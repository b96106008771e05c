// The range of addresses that holds all memory which the host and the device ever shared, whatever of it is in use.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// From now on these bytes are in it.
void share_with_host(std::uint64_t address, std::uint64_t bytes);
/// Whether any of these bytes is in it. Takes no lock, and may be asked for at any moment.
bool may_be_shared(std::uint64_t address, std::uint64_t bytes);

}  // namespace warpwright::cudart
