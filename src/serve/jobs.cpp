// The newest job of a key sets the flag of the one before it. Who waits looks at its flag whenever something changes.
#include "serve/jobs.hpp"

namespace warpwright::serve {

Jobs::End Jobs::run(const std::string& key, const std::function<void(const std::atomic<bool>& superseded)>& work) {
    auto mine = std::make_shared<std::atomic<bool>>(false);
    std::unique_lock lock(mutex_);
    if (stopped_) return End::superseded;
    if (auto& newest = newest_[key]; newest) *newest = true;
    newest_[key] = mine;
    changed_.notify_all();
    if (free_ == 0) {
        if (waiting_left_ == 0) {
            newest_.erase(key);
            return End::refused;
        }
        --waiting_left_;
        changed_.wait(lock, [&] { return free_ > 0 || *mine; });
        ++waiting_left_;
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
