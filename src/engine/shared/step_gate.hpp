// Separates the work of checked launches from the moment when all stamps of earlier launches are cleared.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace warpwright::engine {

class StepGate {
public:
    void enter();
    void leave();
    /// Waits until no block is at work, then calls it.
    void alone(const std::function<void()>& work);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned inside_ = 0;
    bool closed_ = false;
};

}  // namespace warpwright::engine
