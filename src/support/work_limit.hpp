// A limit of time for work that nobody can end from outside: it asks between its steps whether to go on.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace warpwright {

class WorkLimit {
public:
    WorkLimit() = default;  ///< none
    /// From now on; 0 = none.
    explicit WorkLimit(std::chrono::milliseconds limit) {
        if (limit.count() == 0) return;
        over_ = [end = std::chrono::steady_clock::now() + limit] { return std::chrono::steady_clock::now() >= end; };
    }
    /// By another rule than the clock's.
    explicit WorkLimit(std::function<bool()> over) : over_(std::move(over)) {}

    /// Once true the work ends with an error, and asks no more.
    bool over() const { return over_ && over_(); }

private:
    std::function<bool()> over_;
};

}  // namespace warpwright
