// The host's stack below generated code. A kernel decides how much of it its code needs: how deep its calls go, how
// many values each of them keeps, how deep it nests grids. None of that may reach the stack's end, where a fault of the
// host would be the best that could happen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::engine {

/// The most that one function of generated code may keep on the stack; code that needs more is refused.
inline constexpr std::uint64_t kMostHostFrame = std::uint64_t{1} << 20;
/// The same for a kernel's own function in code that was quick to make, which keeps each value at a place of its own:
/// it runs where there is room for it (run/large_stack.hpp).
inline constexpr std::uint64_t kMostQuickFrame = std::uint64_t{16} << 20;
/// What the runtime's own functions need at most, below generated code.
inline constexpr std::uint64_t kRuntimeStack = std::uint64_t{512} << 10;

/// Bytes from here to the end of the stack that this code runs on, a warp's own or the thread's.
std::size_t host_stack_left();
/// Whether this code runs on a stack other than the thread's.
bool on_own_stack();

/// While it lives, this thread runs on a stack that ends at `low`.
class OnStack {
public:
    explicit OnStack(std::uintptr_t low);
    ~OnStack();
    OnStack(const OnStack&) = delete;
    OnStack& operator=(const OnStack&) = delete;

private:
    std::uintptr_t before_;
};

}  // namespace warpwright::engine
