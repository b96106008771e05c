// Memory that is open to other devices by itself: of pools and mapped memory, whatever access its device gives.
#pragma once

namespace warpwright::cudart {

/// There is some from now on, so that kernels of every device may reach for another's memory.
void memory_opened();

}  // namespace warpwright::cudart
