// The gate is a shared lock that prefers the exclusive side: while alone() waits no further step begins, so that its
// wait has an end.
#include "engine/shared/step_gate.hpp"

namespace warpwright::engine {

void StepGate::enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !closed_; });
    ++inside_;
}

void StepGate::leave() {
    std::lock_guard lock(mutex_);
    if (--inside_ == 0 && closed_) changed_.notify_all();
}

void StepGate::alone(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [&] { return inside_ == 0; });
    work();
    closed_ = false;
    changed_.notify_all();
}

}  // namespace warpwright::engine
