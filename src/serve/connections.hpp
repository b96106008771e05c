// The threads that serve connections. A connection has a thread as long as it is open, also while it says nothing, as
// browsers' spare ones do. So there are as many as were ever needed at once, up to a bound; past that connections wait.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace warpwright::serve {

class Connections final : public httplib::TaskQueue {
public:
    /// A thread that waits for a silent connection costs some KiB.
    static constexpr std::size_t kMost = 1024;

    void enqueue(std::function<void()> serve) override;
    void shutdown() override;

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool over_ = false;
};

}  // namespace warpwright::serve
