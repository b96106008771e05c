// Numbers of calls, which the thread that is in one keeps for the work that it queues.
#include "cudart/state/activity.hpp"

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart::activity {

std::atomic<const Listener*> listener{nullptr};

namespace {
std::atomic<std::uint32_t> last_correlation{0};
}

CallId queued_now() {
    const auto* l = listener.load(std::memory_order_acquire);
    return l ? CallId{thread_state().call, l->now()} : CallId{};
}

bool Call::enter(unsigned number, const void* result) {
    auto& state = thread_state();
    if (state.call) return false;
    call_.number = number;
    call_.result = static_cast<const int*>(result);
    call_.correlation = state.call = ++last_correlation;
    return true;
}

void Call::end() {
    listener_->ends(call_);
    thread_state().call = 0;
}

}  // namespace warpwright::cudart::activity
