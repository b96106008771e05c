// A connection gets a new thread where all that there are have one: none waits behind another that says nothing.
#include "serve/connections.hpp"

#include <system_error>
#include <utility>

namespace warpwright::serve {

void Connections::enqueue(std::function<void()> serve) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(serve));
    if (idle_ < waiting_.size() && threads_.size() < kMost) {
        try {
            threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {  // the system gives no more: those that there are serve it
            if (threads_.empty()) throw;
        }
    }
    changed_.notify_one();
}

void Connections::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        const auto serve = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        serve();
        lock.lock();
    }
}

void Connections::shutdown() {
    {
        std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
}

}  // namespace warpwright::serve
