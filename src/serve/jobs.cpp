// The newest job of a key sets the flag of the one before it. Who waits looks at its flag whenever something changes,
// and goes on in its turn: who has waited longest is next.
#include "serve/jobs.hpp"

#include <algorithm>
#include <utility>

namespace warpwright::serve {

Jobs::End Jobs::run(const std::string& key, const std::function<void(const std::atomic<bool>& superseded)>& work) {
    auto mine = std::make_shared<std::atomic<bool>>(false);
    std::unique_lock lock(mutex_);
    if (stopped_) return End::superseded;
    const auto before = std::exchange(newest_[key], mine);
    if (before) *before = true;
    changed_.notify_all();
    if (free_ == 0 || !waiting_.empty()) {
        // Who goes on typing keeps the place, also where all are taken.
        const auto place = std::find(waiting_.begin(), waiting_.end(), before.get());
        if (before && place != waiting_.end()) {
            *place = mine.get();
        } else if (waiting_left_ == 0) {
            newest_.erase(key);
            return End::refused;
        } else {
            --waiting_left_;
            waiting_.push_back(mine.get());
        }
        changed_.wait(lock, [&] { return *mine || (free_ > 0 && waiting_.front() == mine.get()); });
        if (waiting_.remove(mine.get()) != 0) ++waiting_left_;
        changed_.notify_all();  // it may be the next one's turn
        if (*mine) return End::superseded;
    }
    --free_;
    lock.unlock();
    work(*mine);
    lock.lock();
    ++free_;
    if (const auto it = newest_.find(key); it != newest_.end() && it->second == mine) newest_.erase(it);
    changed_.notify_all();
    return *mine ? End::superseded : End::done;
}

void Jobs::stop() {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    for (auto& [key, flag] : newest_) *flag = true;
    changed_.notify_all();
}

}  // namespace warpwright::serve
