// The one subscriber to callbacks that CUPTI allows: told of the functions that it has enabled.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <mutex>

#include "cudart/state/activity.hpp"
#include "libraries/cupti/callback_ids.hpp"
#include "libraries/cupti/records.hpp"

namespace warpwright::libraries::cupti {

class Subscriber {
public:
    static Subscriber& get();
    bool is_there();
    /// False: there is one already.
    bool begin(Callback callback, void* user);
    void end();
    void enable(std::uint32_t domain, std::uint32_t id, bool on);
    void enable_domain(std::uint32_t domain, bool on);
    bool enabled(std::uint32_t domain, std::uint32_t id);
    bool wants_calls() const { return wanted_; }
    void tell(cudart::activity::ApiCall& call, bool ends);

private:
    void tell_wanted();

    std::mutex mutex_;
    Callback callback_ = nullptr;
    void* user_ = nullptr;
    std::array<std::bitset<kMostFunctions>, kDomains> functions_;
    std::atomic<bool> wanted_{false};
};

/// What callbacks give as a device's context.
void* context_of(unsigned device);
/// The device of such a context; of any other one, the calling thread's.
unsigned device_of(const void* context);

}  // namespace warpwright::libraries::cupti
