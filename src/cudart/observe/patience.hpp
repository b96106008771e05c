// How long a kernel that may use memory which is closed to the host is held back, for the host to touch that memory.
#pragma once

#include <algorithm>
#include <chrono>

namespace warpwright::cudart {

/// Times are given, so that the rule can be tried without waiting.
class Patience {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::milliseconds kLongest{50}, kLongestBeside{1000};

    /// The host begins to wait for some work, or asks whether it is done; one that asks again and again is at one wait.
    void host_waits(Time now) {
        if (!at_wait_) since_ = now;
        at_wait_ = true;
    }
    /// It goes on to something else.
    void host_goes_on() { at_wait_ = false; }
    /// From when on a kernel's time is counted that was counted `from` before: it begins kLongest later. While the host
    /// waits for other work it touches nothing, and that work may itself wait for this kernel: the count stands still,
    /// for all kernels together no longer than kLongestBeside in one wait.
    Time counted_from(Time from, Time now) const {
        return at_wait_ ? std::max(from, std::min(now, since_ + kLongestBeside)) : from;
    }

private:
    bool at_wait_ = false;
    Time since_;
};

}  // namespace warpwright::cudart
