// The stack is a fiber's, as those of warps that call functions (scheduler.cpp), but kept: a launch of a small kernel
// takes less time than the system's giving and taking of it.
#include "engine/run/large_stack.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <exception>
#include <new>
#include <utility>

#include "engine/shared/host_stack.hpp"
#include "support/host_time.hpp"
#include "support/thread_sanitizer.hpp"

namespace warpwright::engine {

namespace {

using boost::context::fiber;
using boost::context::protected_fixedsize_stack;
using boost::context::stack_context;

static_assert(kLargeStack / 2 >= kMostQuickFrame + kMostHostFrame + kRuntimeStack);

/// A thread's stack, from its first use to the thread's end.
class KeptStack {
public:
    KeptStack() = default;
    ~KeptStack() {
        if (stack_.sp) protected_fixedsize_stack(kLargeStack).deallocate(stack_);
    }
    KeptStack(const KeptStack&) = delete;
    KeptStack& operator=(const KeptStack&) = delete;

    /// Null where the host has no memory for it.
    const stack_context* get() {
        try {
            if (!stack_.sp) stack_ = protected_fixedsize_stack(kLargeStack).allocate();
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
        return &stack_;
    }

private:
    stack_context stack_;
};

/// What a fiber does with its stack at its end: nothing.
struct Keep {
    stack_context allocate() { return {}; }  // (a fiber has a stack already)
    void deallocate(stack_context&) {}
};

}  // namespace

bool on_large_stack(const std::function<void()>& work) {
    thread_local KeptStack kept;
    const auto* stack = kept.get();
    if (!stack) return false;
    // (Its last page is there to fault.)
    const auto low =
        reinterpret_cast<std::uintptr_t>(stack->sp) - stack->size + protected_fixedsize_stack::traits_type::page_size();
    thread_sanitizer::Stack told;
    fiber outside;
    std::exception_ptr failed;
    fiber inside(std::allocator_arg, boost::context::preallocated(stack->sp, stack->size, *stack), Keep(),
                 [&](fiber&& back) {
                     outside = std::move(back);
                     try {
                         work();
                     } catch (const boost::context::detail::forced_unwind&) {
                         throw;
                     } catch (...) {
                         failed = std::current_exception();
                     }
                     told.leave();
                     return std::move(outside);
                 });
    told.enter();
    const OnStack own(low);
    const host_time::OnCodeStack code(stack->sp);
    inside = std::move(inside).resume();
    if (failed) std::rethrow_exception(failed);
    return true;
}

}  // namespace warpwright::engine
