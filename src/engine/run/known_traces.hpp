// Traces of launches whose course follows from their arguments: a launch with the same arguments needs no other one.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/shared/requests.hpp"
#include "engine/shared/tracing.hpp"
#include "machine/trace.hpp"

namespace warpwright::engine {

/// Keeps the last traces, up to a number and a sum of bytes. Thread-safe.
class KnownTraces {
public:
    /// Whether the trace of such a launch may follow from the launch and its code alone; with that code it does not
    /// where it may depend on what memory has, on the host's clock, or on other blocks.
    static bool may_know(const LaunchRequest& request);
    static bool is_known(const KernelCode& code);
    /// Then all that it is made from, beside the code: `places` of the launch's parameters.
    static std::string key_of(const LaunchRequest& request, const TracePlaces& places);

    /// The trace of an earlier launch with this key; null where there is none.
    std::shared_ptr<const machine::LaunchTrace> find(const std::shared_ptr<KernelCode>& code, const std::string& key);
    /// After the launch, where nothing but the device's own memory was met.
    void keep(const std::shared_ptr<KernelCode>& code, std::string key,
              std::shared_ptr<const machine::LaunchTrace> trace);

private:
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    static constexpr std::size_t kMost = 64;
    struct Known {
        std::weak_ptr<KernelCode> code;
        std::string key;
        std::shared_ptr<const machine::LaunchTrace> trace;
        std::size_t bytes = 0;
    };
    std::mutex mutex_;
    std::deque<Known> known_;  ///< the last one used is the last
    std::size_t bytes_ = 0;
};

}  // namespace warpwright::engine
