// Converts CUPTI's records to a profile: the same kind that the emulated device's runtime library writes.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cupti/metrics.hpp"
#include "profile/cupti.hpp"
#include "profile/profile.hpp"

namespace warpwright::cupti {

struct Settings {
    std::string profile;  ///< the file for it
    std::string kernel;   ///< a name, part of one, or /a regular expression/
    std::uint64_t launches = 0, skip = 0;
    std::vector<std::string> metrics;
    std::uint64_t counted_launches = 3;  ///< of each kernel and launch shape, unless `launches` is given
    double patience = 20;                ///< seconds of counting after which only one launch of each is counted
    bool events = false, counters = true;

    static Settings of_environment();
};

/// A launch as the program requested it.
struct Asked {
    std::string name;
    record::Extent grid, block;
    std::uint64_t dynamic_shared = 0;
    std::uint32_t correlation = 0, stream = 0;
    std::uint32_t registers = 0;
    std::uint64_t static_shared = 0;
    std::uint64_t ended = 0;  ///< its end on CUPTI's clock, for counted launches

    std::string key() const;
};

/// For use by all threads.
class Collector {
public:
    Collector(const Library& library, Settings settings);

    // Launches, as they are made.
    // Whether the launch is selected; counts it in their order.
    bool wanted(const Asked& launch);
    /// Whether its counters are still wanted. If so, they are marked as requested.
    bool uncounted(const Asked& launch);
    void will_not_be_counted(const Asked& launch);
    void counted(const Asked& launch, const std::vector<Metric>& metrics, const std::vector<double>& values,
                 double seconds, unsigned passes);
    void spent(double seconds);  ///< on counting

    // Activity records, as CUPTI delivers them.
    void add(std::uint8_t* buffer, std::size_t bytes);

    void device(const std::string& name);
    void note(const std::string& line);  ///< each line once
    void write();

private:
    struct Api {
        std::uint64_t start, end;
        std::uint32_t function, thread, correlation;
        bool runtime, failed;
    };
    profile::KernelUse& use(const Asked& launch, std::size_t& index);
    void kernel(const KernelRecord& record);
    void timed(const KernelRecord& record, const Asked& launch);
    void copy(const std::string& name, std::uint64_t bytes, std::uint32_t stream, std::uint64_t start,
              std::uint64_t end);
    void settle_calls();
    std::size_t call_index(const Api& call);
    void event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, std::uint64_t start, double seconds,
               std::uint64_t number = 0);
    void write_locked();

    using Clock = std::chrono::steady_clock;
    const Library& library_;
    const Settings settings_;
    std::mutex mutex_;
    profile::Profile profile_;
    std::unordered_map<std::string, std::size_t> kernels_, copies_, calls_by_name_;
    std::unordered_map<std::uint64_t, std::size_t> calls_;
    std::unordered_map<std::string, std::uint64_t> counted_;  ///< launches by key
    std::unordered_set<std::uint32_t> counted_launches_;      ///< by correlation
    std::unordered_map<std::uint32_t, bool>
        repeated_in_vain_;                                  ///< by correlation: whether one of their records was taken
    std::unordered_map<std::uint32_t, KernelRecord> held_;  ///< their records, until it is known whether counters
                                                            ///< arrived
    std::unordered_set<std::uint32_t> chosen_;              ///< launches, if only some are selected
    std::vector<Api> api_;
    double spent_ = 0;  ///< seconds on counting
    std::uint64_t matched_ = 0, base_ = 0;
    Clock::time_point started_ = Clock::now(), written_ = started_;
};

}  // namespace warpwright::cupti
