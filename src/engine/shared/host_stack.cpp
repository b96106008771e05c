// A thread asks for the end of its stack once, and a warp that has a stack of its own says where that one ends. The
// functions are not inlined, because a compiler may keep the address of a thread's variable while stacks are changed.
#include "engine/shared/host_stack.hpp"

#include "host/self.hpp"

namespace warpwright::engine {

namespace {

/// 0: the thread's own stack.
thread_local std::uintptr_t own_low = 0;

std::uintptr_t thread_low() {
    thread_local const std::uintptr_t low = host::lowest_of_stack();
    return low;
}

}  // namespace

// Not inlined, and asked anew after each change of stacks: a compiler may keep the address of a thread's variable.
__attribute__((noinline)) std::size_t host_stack_left() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto low = own_low ? own_low : thread_low();
    return here > low ? here - low : 0;
}

__attribute__((noinline)) bool on_own_stack() { return own_low != 0; }

__attribute__((noinline)) OnStack::OnStack(std::uintptr_t low) : before_(own_low) { own_low = low; }
__attribute__((noinline)) OnStack::~OnStack() { own_low = before_; }

}  // namespace warpwright::engine
