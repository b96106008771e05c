// Collects what the program does into a profile and writes it: at the end, and now and then before, so that a program
// that is killed leaves most of it. Does nothing where no profile was asked for.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cudart/launch/kernel_launch.hpp"
#include "profile/profile.hpp"
#include "support/result.hpp"

namespace warpwright::cudart {

const char* api_name(unsigned index);
unsigned api_count();

class Recorder {
public:
    using Clock = std::chrono::steady_clock;
    static Recorder& get();
    /// The time, where it is of use.
    static Clock::time_point now();

    void api(unsigned index, Clock::time_point started, cudaError_t result);
    /// Work in the profile, for its event in the timeline.
    struct Noted {
        profile::Event::Kind kind = profile::Event::Kind::kernel;
        std::size_t what = 0;
        double start = 0, seconds = 0;
    };
    void kernel(const Launch& launch, const device::LaunchResult& result, const std::optional<record::Sample>& sample,
                std::uint64_t stream, double start, double seconds);
    void copy(const char* name, std::uint64_t bytes, std::uint64_t stream, double start, double seconds);
    /// The same of what a kernel launched: when it began is known, and shown, later. Empty where nobody wants to see
    /// it.
    std::optional<Noted> child(const Launch& launch, const device::LaunchResult& result, double start, double seconds);
    std::optional<Noted> child_copy(const char* name, std::uint64_t bytes, double start, double seconds);
    void show(const std::vector<Noted>& events, std::uint64_t stream);
    void fault(const Launch& launch, const Error& error);
    /// cudaProfilerStart and -Stop.
    void pause(bool paused) { paused_ = paused; }
    void write();

private:
    Recorder();
    std::optional<std::size_t> add(const Launch& launch, const device::LaunchResult& result,
                                   const record::Sample* sample, double seconds, bool from_device);
    std::size_t add_copy(const char* name, std::uint64_t bytes, double seconds);
    void event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, double start, double seconds);
    void write_now_and_then();

    bool on_ = false, events_ = false, paused_ = false;
    std::mutex mutex_;
    profile::Profile profile_;
    std::vector<profile::Profile::Call> calls_;
    std::unordered_map<std::string, std::size_t> kernels_, copies_;
    std::uint64_t matched_ = 0;  ///< launches of kernels that were chosen by name
    Clock::time_point started_, written_;
};

}  // namespace warpwright::cudart
