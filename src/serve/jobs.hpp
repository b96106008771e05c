// Work that pages ask for: so many at a time, and of each page the newest alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warpwright::serve {

class Jobs {
public:
    /// `places`: how many run at a time. `waiting`: how many may wait besides; more are refused.
    Jobs(unsigned places, unsigned waiting) : free_(places), waiting_left_(waiting) {}

    enum class End { done, superseded, refused };

    /// Runs `work` when there is a place, on this thread. A later call with the same key makes this one end as
    /// superseded: before it begins, or by the flag that `work` is given, which it must look at.
    End run(const std::string& key, const std::function<void(const std::atomic<bool>& superseded)>& work);

    /// How many wait for a place.
    std::size_t waiting() {
        std::lock_guard lock(mutex_);
        return waiting_.size();
    }

    /// All work that runs or waits ends as superseded, and none begins any more.
    void stop();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned free_, waiting_left_;
    bool stopped_ = false;
    std::map<std::string, std::shared_ptr<std::atomic<bool>>> newest_;
    std::list<const std::atomic<bool>*> waiting_;  ///< the flags of those that wait, in their order
};

}  // namespace warpwright::serve
