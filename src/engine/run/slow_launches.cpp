// The thread raises the flag that generated code reads at the ends of loops; whoever sees it first notes where it is
// (ww_rt_stopped, Scheduler::run_in_turns), and the thread tells it at its next look.
#include "engine/run/slow_launches.hpp"

#include <algorithm>

#include "engine/runtime/texts.hpp"

namespace warpwright::engine {

SlowLaunches::SlowLaunches(std::function<void(const std::string&)> tell, std::chrono::milliseconds after)
    : tell_(std::move(tell)), after_(after) {}

SlowLaunches::~SlowLaunches() {
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

SlowLaunches::Watched::Watched(SlowLaunches& of, LaunchShared& launch) : of_(of), launch_(launch) {
    if (!of_.tell_) return;
    std::lock_guard lock(of_.mutex_);
    of_.launches_.push_back({&launch, Clock::now() + of_.after_});
    if (!of_.thread_.joinable()) of_.thread_ = std::thread([&watch = of_] { watch.work(); });
    if (of_.asleep_) of_.changed_.notify_all();
}

SlowLaunches::Watched::~Watched() {
    if (!of_.tell_) return;
    std::lock_guard lock(of_.mutex_);
    std::erase_if(of_.launches_, [&](const Launch& l) { return l.launch == &launch_; });
}

void SlowLaunches::work() {
    constexpr std::chrono::milliseconds kLook{100};
    std::unique_lock lock(mutex_);
    for (int idle = 0; !stopped_;) {
        // Waking this thread takes as long as a small launch: between launches in a row it sleeps for a while only.
        idle = launches_.empty() ? idle + 1 : 0;
        if (idle > 1) {
            asleep_ = true;
            changed_.wait(lock, [&] { return stopped_ || !launches_.empty(); });
            asleep_ = false;
            continue;
        }
        changed_.wait_for(lock, std::min(kLook, after_), [&] { return stopped_; });
        for (auto& l : launches_) {
            if (Clock::now() < l.due) continue;
            if (!l.asked) l.asked = true, l.launch->ask_where();
            const auto where = l.launch->take_where();
            if (where.empty()) continue;
            l.due = Clock::time_point::max();
            tell_("kernel " + readable(l.launch->kernel->name) + " has run for " +
                  std::to_string(std::chrono::duration_cast<std::chrono::seconds>(after_).count()) +
                  " s on this machine and goes on: " + where);
        }
    }
}

}  // namespace warpwright::engine
