// The list of observers is empty in most programs, so a flag is read before the lock is taken. A caller that wants a
// launch and its result together runs it here at once, after all queued work.
#include "cudart/work/launch/launch_observer.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace warpwright::cudart {
namespace {

/// Made at their first use and never destroyed, as all that may be used while the process ends.
struct Observers {
    std::mutex mutex;
    std::vector<LaunchObserver*> all;
    std::atomic<bool> any{false};
};
Observers& observers() {
    static auto* made = new Observers;
    return *made;
}

template <class Tell>
void tell(Tell&& of) {
    auto& o = observers();
    if (!o.any) return;
    std::lock_guard lock(o.mutex);
    for (LaunchObserver* observer : o.all) of(*observer);
}

}  // namespace

bool is_observed() { return observers().any; }

void add_observer(LaunchObserver& observer) {
    auto& o = observers();
    std::lock_guard lock(o.mutex);
    o.all.push_back(&observer);
    o.any = true;
}

void remove_observer(LaunchObserver& observer) {
    auto& o = observers();
    std::lock_guard lock(o.mutex);
    std::erase(o.all, &observer);
    o.any = !o.all.empty();
}

void tell_launched(const Launch& launch, const device::LaunchResult& result, const Timed& timed, bool from_device) {
    tell([&](LaunchObserver& o) { o.launched(launch, result, timed, from_device); });
}

void tell_failed(const Launch& launch, const Error& error) {
    tell([&](LaunchObserver& o) { o.failed(launch, error); });
}

AtOnce*& at_once() {
    thread_local AtOnce* now = nullptr;
    return now;
}

AtOnce run_at_once(const Launch& launch) {
    AtOnce out;
    auto& scheduler = Scheduler::get();
    scheduler.wait_all();
    const auto work = [&] {
        at_once() = &out;
        auto done = run(launch);
        at_once() = nullptr;
        return done;
    };
    scheduler.wait(scheduler.put(scheduler.legacy(), work, By::caller, {}, timeline::Timeline::Call::takes_time));
    return out;
}

}  // namespace warpwright::cudart
