// Collects the program's work into a profile and writes it: at the end, and now and then before, so that a program that
// is killed leaves most of it. Does nothing if no profile was asked for.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cudart/work/launch/kernel_launch.hpp"
#include "cudart/work/program_observer.hpp"
#include "profile/profile.hpp"
#include "profile/program_causes.hpp"
#include "support/exact_sum.hpp"
#include "support/result.hpp"
#include "timeline/timeline.hpp"

namespace warpwright::cudart {

class Recorder final : public ProgramObserver {
public:
    using Clock = std::chrono::steady_clock;
    static Recorder& get();
    /// The time, if it is needed.
    static Clock::time_point now();

    void api(unsigned index, Clock::time_point started, cudaError_t result);
    /// Adds a launch to the profile, and its number there to the work; its time is the work's on the modelled clock.
    void launched(const Launch& launch, const device::LaunchResult& result, const std::optional<record::Sample>& sample,
                  Timed& timed, bool from_device) override;
    /// Notes what the copy's kind says of the program.
    void copying(const Copy& copy) override;
    /// The same as launched() for a copy or fill.
    void copied(const char* name, timeline::Work& work) override;
    /// Records the place of one of these on the clock, for the profile's events.
    void placed(const timeline::Span& span, std::uint64_t stream) override;
    void failed(const Launch& launch, const Error& error) override;
    /// cudaProfilerStart and -Stop.
    void pause(bool paused) { paused_ = paused; }
    void write();

private:
    Recorder();
    std::optional<std::size_t> add(const Launch& launch, const device::LaunchResult& result,
                                   const record::Sample* sample, double seconds, const Timed& timed, bool from_device);
    void picture(profile::KernelUse& kernel, const Launch& launch, const device::LaunchResult& result);
    std::size_t entry_of(const Launch& launch, const device::LaunchResult& result, bool from_device);
    void decide_causes();
    void event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, double start, double seconds,
               std::uint64_t number = 0);
    void write_now_and_then();

    bool on_ = false, events_ = false;
    std::atomic<bool> paused_{false};  // any thread may pause
    std::mutex mutex_;
    profile::Profile profile_;
    std::vector<profile::Profile::Call> calls_;
    profile::ProgramTimes whole_;
    /// Of `whole_`, of each entry's launches and of each kind of copy: threads and streams add to them in any order.
    struct Sums {
        support::ExactSum starts, kernels, links, repeated, pageable, pinned;
    } sums_;
    std::vector<support::ExactSum> kernel_sums_, copy_sums_;
    static void add_to(std::vector<support::ExactSum>& sums, std::size_t at, profile::Times& times, double seconds);
    /// By kernel and shape: its launches, and the entries of those that differ in their figures.
    struct Kinds {
        std::uint64_t launches = 0;
        std::vector<std::size_t> entries;
    };
    std::unordered_map<std::string, Kinds> kernels_;
    /// Those of the launch before: most launches are of the same kernel and shape.
    struct Before {
        std::string kernel;
        launch::Extent grid, block;
        std::uint64_t shared = 0;
        unsigned device = 0;
        bool from_device = false;
    } before_;
    Kinds* kinds_before_ = nullptr;
    Kinds& kinds_of(const Launch& launch, bool from_device);
    /// What one stream's launches add to an entry. Which stream's come first is the machine's affair, so an entry that
    /// has several is put together in the order of the streams' numbers.
    struct OfStream {
        std::uint64_t first = 0;  ///< the number of its first one among all of the stream's launches
        std::uint64_t calls = 0, launches_left_out = 0;
        std::vector<profile::KernelUse::Launches> launches;
        /// The mean of all but the last ones, which have one prediction: most launches have that of the one before.
        std::optional<record::Predicted> earlier, last;
        void add(const record::Predicted& predicted);
        std::optional<record::Predicted> mean() const;
    };
    struct OfStreams {
        std::map<std::size_t, OfStream> parts;  ///< by ThreadState::stream
        /// Of each launch, as they came: its stream, and its number there; for the events.
        std::vector<std::pair<std::size_t, std::uint64_t>> came;
    };
    std::vector<OfStreams> of_streams_;              ///< by entry
    std::map<std::size_t, std::uint64_t> launched_;  ///< by stream
    void join_streams(profile::Profile& out) const;
    void order_kernels(profile::Profile& out) const;
    std::unordered_map<std::string, std::size_t> copies_;
    std::vector<std::vector<std::uint64_t>> sizes_;    ///< of each kind of copy: the bytes of each, for the events
    std::unordered_set<std::uint64_t> copied_before_;  ///< places of copies, by their hash
    std::size_t pictures_ = 0;                         ///< that were made
    std::uint64_t matched_ = 0;                        ///< launches of kernels that the name selects
    Clock::time_point started_, written_;
};

}  // namespace warpwright::cudart
