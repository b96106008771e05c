// Whether ThreadSanitizer looks on (the preset tsan, docs/threads.md), and what it must be told where we change stacks
// ourselves. Elsewhere none of this is any code.
#pragma once

#if defined(__SANITIZE_THREAD__)
    #define WARPWRIGHT_THREAD_SANITIZER 1
#elif defined(__has_feature)
    #if __has_feature(thread_sanitizer)
        #define WARPWRIGHT_THREAD_SANITIZER 1
    #endif
#endif

#ifdef WARPWRIGHT_THREAD_SANITIZER
    #include <sanitizer/tsan_interface.h>
#endif

namespace warpwright::thread_sanitizer {

#ifdef WARPWRIGHT_THREAD_SANITIZER

/// A stack of its own that a thread changes to and back from.
class Stack {
public:
    Stack() = default;
    ~Stack() {
        if (stack_) __tsan_destroy_fiber(stack_);
    }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    /// Just before the change to it.
    void enter() {
        if (!stack_) stack_ = __tsan_create_fiber(0);
        from_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(stack_, 0);
    }
    /// Just before the change back.
    void leave() { __tsan_switch_to_fiber(from_, 0); }

private:
    void *stack_ = nullptr, *from_ = nullptr;
};

#else

class Stack {
public:
    void enter() {}
    void leave() {}
};

#endif

}  // namespace warpwright::thread_sanitizer
