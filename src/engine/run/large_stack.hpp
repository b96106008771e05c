// A stack for code that was quick to make, whose frames are larger than a thread's stack allows.
#pragma once

#include <cstddef>
#include <functional>

namespace warpwright::engine {

/// Bytes of such a stack: room for one frame of kMostQuickFrame, and as much again for all that lies below it. The
/// system gives memory for what is touched of it.
inline constexpr std::size_t kLargeStack = std::size_t{64} << 20;

/// Calls `work` on the calling thread's large stack, which the thread keeps until it ends. False where the host has no
/// memory for it. Not to be called on that stack.
bool on_large_stack(const std::function<void()>& work);

}  // namespace warpwright::engine
