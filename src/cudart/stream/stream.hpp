// Streams, events and their order. Each stream has a host thread, started when there is first work for it; work waits
// for the work of other streams that it was told to wait for, always queued earlier, so that there is no circle.
//
// The legacy default stream waits for all that was queued in blocking streams, and what is queued in those later waits
// for it; non-blocking streams have no part in that. When all of it would be on the modelled device is the business of
// timeline/: the scheduler tells it what the host does, in the host's order, and what the work was once it is done.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver_types.h"
#include "timeline/timeline.hpp"

namespace warpwright::cudart {

struct Stream;
struct Capture;
struct SharedEvent;

/// A place in a stream: what was queued up to it.
struct Ticket {
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;
    timeline::Mark mark = nullptr;  ///< the same on the modelled clock
};

struct Task {
    /// Does the work and answers what it was for the modelled clock.
    std::function<timeline::Work()> run;
    std::vector<Ticket> after;
    timeline::Mark mark;
    std::uint64_t number = 0;
};

struct Stream {
    std::uint64_t id = 0;
    unsigned flags = 0;
    int priority = 0;
    bool legacy = false;
    bool blocking() const { return !(flags & cudaStreamNonBlocking); }

    // Under Scheduler's mutex.
    std::deque<Task> tasks;
    std::uint64_t queued = 0, done = 0;
    bool busy = false, leaving = false;
    std::size_t line = 0;  ///< its number on the modelled clock
    timeline::Mark last;   ///< what was queued last, there
    std::thread worker;
    std::shared_ptr<Capture> capture;  ///< while it is being captured into a graph
};

struct Event {
    unsigned flags = 0;
    std::mutex mutex;
    Ticket ticket;                          ///< where it was last recorded; no stream: never
    timeline::Mark mark;                    ///< that place on the modelled clock
    std::shared_ptr<Capture> capture;       ///< last recorded in a stream under capture
    std::vector<cudaGraphNode_t> captured;  ///< the nodes it stands for there
    std::shared_ptr<SharedEvent> shared;    ///< that other processes know; null: there are none
};

class Scheduler {
public:
    static Scheduler& get();

    /// The stream of a handle: 0 and the two constants included. nullptr for one that is none.
    std::shared_ptr<Stream> find(cudaStream_t handle);
    cudaStream_t create(unsigned flags, int priority);
    bool destroy(cudaStream_t handle);
    std::shared_ptr<Stream> legacy();

    /// Queues work. `light` work is done at once, by the caller, where nothing is before it. A call that is free costs
    /// the host no time on the modelled clock.
    Ticket put(const std::shared_ptr<Stream>& stream, std::function<timeline::Work()> run, bool light,
               std::vector<Ticket> after = {}, timeline::Timeline::Call call = timeline::Timeline::Call::free);
    void wait(const Ticket& ticket);
    /// The same by a stream's own thread: on the modelled clock the host does not wait.
    void wait_here(const Ticket& ticket);
    bool over(const Ticket& ticket);
    /// The same where the program learns of it: on the modelled clock the host has then waited for it.
    bool seen_over(const Ticket& ticket);
    /// When something that is over ended, in seconds of the modelled clock. Waits for work that was queued before it
    /// and may have held it up, unless that goes on for long.
    double time_of(const timeline::Mark& mark);
    const timeline::Model& model();
    Ticket here(const std::shared_ptr<Stream>& stream);
    /// Waits for all streams.
    void wait_all();
    bool idle(const std::shared_ptr<Stream>& stream);
    /// Waits until all that is queued anywhere is done, as long as something is done within each span of this length.
    /// False: a span went by without that.
    bool drain(std::chrono::duration<double> each);
    /// Destroys the streams that the program has made.
    void destroy_all();
    /// All that is done has its place on the modelled clock, and in the profile.
    void settle();
    /// At the end of the process: drops what is queued and waits for what runs.
    void end();

private:
    void work(std::shared_ptr<Stream> stream);
    bool ready(const Task& task) const;
    timeline::Timeline& line();
    void order(Stream& stream, Task& task);
    void perform(Stream& stream, Task& task, std::unique_lock<std::mutex>& lock);
    std::shared_ptr<Stream> make(unsigned flags, int priority, bool legacy = false);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<cudaStream_t, std::shared_ptr<Stream>> streams_;
    std::shared_ptr<Stream> legacy_;
    std::vector<std::shared_ptr<Stream>> of_threads_;
    std::vector<std::weak_ptr<Stream>> leaving_;  ///< destroyed, with work that was queued before
    std::uint64_t next_id_ = 1;
    std::unique_ptr<timeline::Timeline> line_;  ///< made when there is a first stream
    std::vector<std::uint64_t> shown_as_;       ///< of the clock's streams: their ids in the profile
    bool ending_ = false;
};

/// The event of a handle, or nullptr.
std::shared_ptr<Event> find_event(cudaEvent_t handle);
/// No handle stands for an event any more.
void forget_events();

}  // namespace warpwright::cudart
