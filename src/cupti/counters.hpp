// Counters of single launches, through CUPTI's range profiler: one range per kernel, replayed by CUPTI as often as the
// counters need, with memory restored in between. Starting and stopping takes a tenth of a second, so a session stays
// open over consecutive launches that are all counted; their counts are known when it is closed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cupti/metrics.hpp"
#include "profile/cupti.hpp"

namespace warpwright::cupti {

/// The counters of one launch.
struct Counted {
    std::vector<double> values;  ///< in the order of Counters::metrics(); NaN where the chip has no such counter
    double seconds = 0;
};

class Counters {
public:
    Counters(const Library& library, std::vector<Metric> metrics) : library_(library), metrics_(std::move(metrics)) {}

    const std::vector<Metric>& metrics() const { return metrics_; }
    /// False, with the reason in `problem`, if nothing can be counted in this context. The next launch is
    /// counted.
    bool begin(void* context, std::string& problem);
    /// Whether no more launches fit: then the session must be closed.
    bool full() const { return open_ && launches_ == (single_ ? 1 : kLaunches); }
    /// The context whose launches are being counted; null: none.
    void* open() const { return open_; }
    /// Ends the session: later launches run normally. Returns one result for each launch begun, in that order.
    bool close(std::vector<Counted>& out, std::string& problem);
    /// Whether counting may continue after close() has failed: from then on with a session for each launch.
    bool again() const { return again_; }
    /// Whether the last problem is a missing permission.
    bool forbidden() const { return forbidden_; }
    unsigned passes() const { return passes_; }
    /// Requested metrics that the chip does not have.
    const std::vector<std::string>& unknown() const { return unknown_; }

private:
    struct Chip {
        void* host = nullptr;
        std::vector<std::string> names;  ///< in the order in which they are evaluated
        std::vector<std::size_t> index;  ///< of each in metrics_
        std::vector<const char*> pointers;
        std::vector<std::uint8_t> config;
    };
    struct Context {
        Chip* chip = nullptr;
        void* profiler = nullptr;
        std::vector<std::uint8_t> data;
        std::string problem;
    };

    bool fails(Code code, const char* what, std::string& problem);
    Chip* chip(const std::string& name, const std::uint8_t* availability, std::string& problem);
    bool can_take(const std::string& chip, const std::uint8_t* availability, const std::vector<std::string>& names);
    /// The chip's name of a metric that can be collected; empty: none.
    std::string name_on(const std::string& chip, const std::uint8_t* availability, const Metric& metric);
    bool evaluate(Context& state, std::size_t range, Counted& out, std::string& problem);
    bool prepare(void* context, Context& state, std::string& problem);

    const Library& library_;
    std::vector<Metric> metrics_;
    std::map<std::string, Chip> chips_;
    std::map<void*, Context> contexts_;
    std::vector<std::string> unknown_;
    std::map<void*, std::vector<std::uint8_t>> availability_;
    bool initialized_ = false, forbidden_ = false, single_ = false, again_ = false;
    unsigned passes_ = 0;
    /// Launches per session. With 64 an H200 (CUPTI 13.0) hung on 200 launches and left kernels without times and
    /// registers.
    static constexpr std::size_t kLaunches = 1;
    void* open_ = nullptr;
    std::size_t launches_ = 0;
};

}  // namespace warpwright::cupti
