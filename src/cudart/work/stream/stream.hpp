// Streams, events and their order. Each stream has a host thread, started with its first work. Work waits for the work
// of other streams on which it depends, always queued earlier, so that there is no cycle.
//
// The legacy default stream of a device waits for all work queued in that device's blocking streams, and later work in
// those waits for it; non-blocking streams are independent. timeline/ says when all of it would run on the modelled
// device: the scheduler reports the host's calls to it, in the host's order, and the work once it is done.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream_order.hpp"
#include "driver_types.h"
#include "timeline/timeline.hpp"

namespace warpwright::cudart {

struct Stream;
struct Capture;
struct SharedEvent;

/// A place in a stream: the work queued up to it.
struct Ticket {
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;
    timeline::Mark mark = nullptr;  ///< the same on the modelled clock
    IssuedWork issued = nullptr;    ///< the same for the checkers of streams' order; null: none is kept
};

/// Which thread does queued work.
enum class By {
    caller,  ///< that which queues it, if nothing is queued before it; else as `waiter`
    waiter,  ///< the stream's, or a thread of the program's that waits for it and comes first
    stream,  ///< the stream's alone, as functions of the program's expect
};

struct Task {
    /// Does the work and returns it for the modelled clock.
    std::function<timeline::Work()> run;
    By by = By::stream;
    std::vector<Ticket> after;
    timeline::Mark mark;
    std::uint64_t number = 0;
    IssuedWork issued = nullptr;
    activity::CallId call{};
};

/// The capture of a stream, if there is one: any thread may ask while another begins or ends it. Who uses it twice
/// keeps what get() gives.
class CaptureOfStream {
public:
    std::shared_ptr<Capture> get() const {
        if (!any_.load(std::memory_order_acquire)) return nullptr;
        std::lock_guard lock(mutex_);
        return capture_;
    }
    void set(std::shared_ptr<Capture> capture) {
        std::lock_guard lock(mutex_);
        capture_ = std::move(capture);
        any_.store(capture_ != nullptr, std::memory_order_release);
    }
    explicit operator bool() const { return any_.load(std::memory_order_acquire); }

private:
    mutable std::mutex mutex_;
    std::atomic<bool> any_{false};
    std::shared_ptr<Capture> capture_;
};

struct Stream {
    std::uint64_t id = 0;
    unsigned flags = 0;
    int priority = 0;
    bool legacy = false;
    unsigned device = 0;
    bool blocking() const { return !(flags & cudaStreamNonBlocking); }

    // Under Scheduler's mutex.
    std::deque<Task> tasks;
    std::uint64_t queued = 0, done = 0;
    bool busy = false, leaving = false;
    bool at_work = false;             ///< its own thread is there
    bool helped = false;              ///< a thread that waited did the last work
    bool dozing = false;              ///< its own thread looks for work soon, and is not woken
    std::size_t line = 0;             ///< its number on the modelled clock
    std::size_t place = 0;            ///< ThreadState::stream of the thread that does its work
    std::size_t own = 0;              ///< the same on the program's clock
    timeline::Mark last;              ///< the work queued last, there
    IssuedWork last_issued, running;  ///< for the order of streams: the work queued last, and that which runs
    std::thread worker;
    std::condition_variable wake;  ///< for that thread alone: there is work, or none will come any more
    CaptureOfStream capture;       ///< while it is captured into a graph
};

struct Event {
    unsigned flags = 0;
    unsigned device = 0;
    std::mutex mutex;
    Ticket ticket;                          ///< where it was last recorded; no stream: never
    timeline::Mark mark;                    ///< that place on the modelled clock
    std::shared_ptr<Capture> capture;       ///< last recorded in a stream under capture
    std::vector<cudaGraphNode_t> captured;  ///< the nodes it stands for there
    std::shared_ptr<SharedEvent> shared;    ///< the event that other processes know; null: none do
};

class Scheduler {
public:
    static Scheduler& get();

    /// The stream of a handle, including 0 and the two constants, which stand for streams of the calling thread's
    /// device; nullptr for an invalid one.
    std::shared_ptr<Stream> find(cudaStream_t handle);
    /// On the calling thread's device.
    cudaStream_t create(unsigned flags, int priority);
    bool destroy(cudaStream_t handle);
    std::shared_ptr<Stream> legacy() { return legacy_of(current_device()); }
    std::shared_ptr<Stream> legacy_of(unsigned device);

    /// Queues work. A free call costs the host no time on the modelled clock.
    Ticket put(const std::shared_ptr<Stream>& stream, std::function<timeline::Work()> run, By by,
               std::vector<Ticket> after = {}, timeline::Timeline::Call call = timeline::Timeline::Call::free);
    /// Before work is queued: where as much as a GPU takes ahead (1,024 launches, copies and so on) waits in the stream
    /// already, waits until there is room. Threads that do a stream's work themselves do not wait.
    void make_room(const std::shared_ptr<Stream>& stream);
    void wait(const Ticket& ticket);
    /// The same by a stream's own thread: on the modelled clock the host does not wait.
    void wait_here(const Ticket& ticket);
    bool over(const Ticket& ticket);
    /// The same when the program learns of it: on the modelled clock the host has then waited for it.
    bool seen_over(const Ticket& ticket);
    /// The end of completed work, in seconds of the modelled clock. Waits, for a limited time, for earlier work that
    /// may have delayed it.
    double time_of(const timeline::Mark& mark, unsigned device);
    const timeline::Model& model();
    /// What the work takes there when nothing else runs.
    double seconds_of(const timeline::Work& work);
    Ticket here(const std::shared_ptr<Stream>& stream);
    /// Waits for all streams; for those of a device.
    void wait_all();
    void wait_device(unsigned device);
    bool idle(const std::shared_ptr<Stream>& stream);
    /// Waits until all queued work is done, as long as something completes within each period of this length. False: a
    /// period passed without that.
    bool drain(std::chrono::duration<double> each);
    /// Destroys the streams that the program has made on a device.
    void destroy_all(unsigned device);
    /// Gives all completed work its place on the modelled clock, and in the profile.
    void settle();
    /// At the end of the process: drops queued work and waits for running work.
    void end();

    /// Whether work has its order (stream_order.hpp), for the checkers.
    bool keeps_order() const;
    /// From now on there is none, because work is ordered in a way that nobody here sees.
    void lose_order();
    /// The host may know from now on that this work is done.
    void host_hears(const Ticket& ticket);
    /// Whether this work precedes all that is queued from now on, and what has not ended yet.
    bool settled(const Issued& work);
    /// Whether the host has waited for this work, or may have been told that it is done.
    bool host_knows(const Issued& work);
    /// Streams to which work was ever given.
    std::size_t streams_used();

private:
    void work(std::shared_ptr<Stream> stream);
    bool ready(const Task& task) const;
    timeline::Timeline& line();
    timeline::Timeline* own();
    void host_waits(const timeline::Mark& mark);
    void order(Stream& stream, Task& task);
    void perform(Stream& stream, Task& task, std::unique_lock<std::mutex>& lock);
    template <class F>
    void each_stream(F work) const;
    void tell_done();
    template <class Holds>
    void await(std::unique_lock<std::mutex>& lock, Holds holds);
    template <class Time, class Holds>
    bool await_for(std::unique_lock<std::mutex>& lock, Time time, Holds holds);
    /// While it lives, a thread waits until that holds; under the lock.
    class Awaited {
    public:
        template <class Holds>
        Awaited(Scheduler& of, Holds& holds) : of_(of), at_(of.awaited_.insert(of.awaited_.end(), std::ref(holds))) {}
        ~Awaited() { of_.awaited_.erase(at_); }
        Awaited(const Awaited&) = delete;

    private:
        Scheduler& of_;
        std::list<std::function<bool()>>::iterator at_;
    };
    void wait_for_work(Stream& stream, std::unique_lock<std::mutex>& lock);
    void rouse();
    void help(const Ticket& ticket, std::unique_lock<std::mutex>& lock);
    std::shared_ptr<Stream> make(unsigned flags, int priority, unsigned device, bool legacy = false);
    void wait_for(std::optional<unsigned> device);
    void issue(Stream& stream, Task& task, std::shared_ptr<const CallStack> call);
    void host_learns(const IssuedWork& work);
    void tell_waited(const Ticket& ticket) const;
    void stream_goes(const Stream& stream);
    /// While it lives, the task's work is that of the calling thread.
    class AtWork {
    public:
        AtWork(const Stream& stream, const Task& task);
        ~AtWork();
        AtWork(const AtWork&) = delete;
        /// Whether the calling thread does work of a stream.
        static bool here();

    private:
        IssuedWork before_;
        std::size_t place_before_;
        activity::CallId call_before_;
        OnDevice on_device_;
    };

    std::mutex mutex_;
    std::condition_variable changed_;           ///< for threads that wait for work; those of streams have `wake`
    std::list<std::function<bool()>> awaited_;  ///< what they wait for
    std::map<cudaStream_t, std::shared_ptr<Stream>> streams_;
    std::array<std::shared_ptr<Stream>, device::kMostDevices> legacy_;  ///< by device
    std::vector<std::shared_ptr<Stream>> of_threads_;
    std::vector<std::weak_ptr<Stream>> leaving_;  ///< destroyed, with work that was queued before
    std::uint64_t next_id_ = 1;
    std::vector<bool> places_{true};            ///< that streams have; the first is the legacy stream's
    std::unique_ptr<timeline::Timeline> line_;  ///< made when there is a first stream
    /// The program's clock (HostClock), where it is modelled: the same work, but what the program does between its
    /// calls takes its time. Nothing that is printed comes from it.
    std::unique_ptr<timeline::Timeline> own_;
    std::vector<std::uint64_t> shown_as_;  ///< the ids in the profile of the clock's streams
    bool ending_ = false;
    // The order of work, where it is kept.
    std::atomic<bool> order_lost_{false};
    Preceding host_knows_;
    std::array<Preceding, device::kMostDevices> gone_, gone_blocking_;  ///< of streams that were destroyed, by device
    std::uint64_t issued_ = 0;
    std::size_t streams_used_ = 0;
};

template <class F>
void Scheduler::each_stream(F work) const {
    for (const auto& legacy : legacy_)
        if (legacy) work(*legacy);
    for (const auto& [handle, stream] : streams_) work(*stream);
    for (const auto& stream : of_threads_) work(*stream);
    for (const auto& gone : leaving_)
        if (const auto stream = gone.lock()) work(*stream);
}

/// The event of a handle, or nullptr.
std::shared_ptr<Event> find_event(cudaEvent_t handle);
/// Makes all handles of a device's events invalid.
void forget_events(unsigned device);

}  // namespace warpwright::cudart
