// Recordings: every launch of the process between two calls.
#include <mutex>
#include <vector>

#include "capi/handles.hpp"
#include "capi/launch_json.hpp"
#include "capi/text.hpp"
#include "cudart/work/launch/launch_observer.hpp"
#include "cudart/work/stream/stream.hpp"

/// Launches are kept as text; a program that launches without end does not fill the memory.
struct ww_recording final : public warpwright::cudart::LaunchObserver {
    static constexpr std::size_t kMost = 100000;

    ww_recording() { add_observer(*this); }
    ~ww_recording() override { remove_observer(*this); }

    void launched(const warpwright::cudart::Launch& launch, const warpwright::device::LaunchResult& result,
                  const warpwright::cudart::Timed& timed, bool from_device) override {
        warpwright::capi::LaunchReport report;
        report.launch = &launch, report.result = &result, report.timed = &timed;
        report.output = result.output;
        report.from_device = from_device;
        add(report);
    }
    void failed(const warpwright::cudart::Launch& launch, const warpwright::Error& error) override {
        warpwright::capi::LaunchReport report;
        report.launch = &launch, report.error = &error;
        add(report);
    }
    std::string text() {
        std::lock_guard lock(mutex_);
        std::string out = "{\"launches\": [";
        for (std::size_t k = 0; k < launches_.size(); ++k) out += (k ? ", " : "") + launches_[k];
        return out + "], \"left_out\": " + std::to_string(left_out_) + "}";
    }

private:
    void add(const warpwright::capi::LaunchReport& report) {
        std::lock_guard lock(mutex_);
        if (launches_.size() >= kMost)
            ++left_out_;
        else
            launches_.push_back(warpwright::capi::written(warpwright::capi::launch_json(report)));
    }

    std::mutex mutex_;
    std::vector<std::string> launches_;
    std::size_t left_out_ = 0;
};

namespace {

/// What all kernels took by the model, from the time on when it is made.
struct SumOfTimes final : public warpwright::cudart::LaunchObserver {
    SumOfTimes() { add_observer(*this); }
    void launched(const warpwright::cudart::Launch&, const warpwright::device::LaunchResult&,
                  const warpwright::cudart::Timed& timed, bool) override {
        seconds += timed.work.seconds;
    }
    void failed(const warpwright::cudart::Launch&, const warpwright::Error&) override {}
    /// Observers are told one at a time, and all is waited for before it is read.
    double seconds = 0;
};

}  // namespace

using namespace warpwright;

ww_status ww_record_begin(ww_recording** recording) {
    if (!recording) return capi::fail(capi::usage("ww_record_begin needs a place for the recording"));
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    *recording = new ww_recording;
    return capi::done();
}

ww_status ww_record_end(ww_recording* recording, char** json) {
    if (!recording) return capi::fail(capi::usage("ww_record_end needs a recording"));
    const std::unique_ptr<ww_recording> owned(recording);
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    return capi::give(owned->text(), json);
}

ww_status ww_record_seconds(double* seconds) {
    if (!seconds) return capi::fail(capi::usage("ww_record_seconds needs a place for the sum"));
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    static auto* const sum = new SumOfTimes;
    *seconds = sum->seconds;
    return capi::done();
}
