// Streams, events and their order. Each stream has a host thread, started when there is first work for it; work waits
// for the work of other streams that it was told to wait for, always queued earlier, so that there is no circle.
//
// The legacy default stream waits for all that was queued in blocking streams, and what is queued in those later waits
// for it; non-blocking streams have no part in that. Each stream carries a clock of the device's time as the model
// predicts it: work starts when the work it waits for has ended, and not before the host, by the same clock, had asked
// for it.
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

namespace warpwright::cudart {

struct Stream;
struct Capture;
struct SharedEvent;

/// A place in a stream: what was queued up to it.
struct Ticket {
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;
};

struct Task {
    /// Does the work and answers how long it takes on the modelled device; `start` is when it begins there.
    std::function<double(double start)> run;
    std::vector<Ticket> after;
    double asked = 0;  ///< the host's clock
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
    double clock = 0;  ///< seconds
    std::thread worker;
    std::shared_ptr<Capture> capture;  ///< while it is being captured into a graph
};

struct Event {
    unsigned flags = 0;
    std::mutex mutex;
    Ticket ticket;                          ///< where it was last recorded; no stream: never
    double time = 0;                        ///< the stream's clock there, once reached
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

    /// Queues work. `light` work is done at once, by the caller, where nothing is before it.
    Ticket put(const std::shared_ptr<Stream>& stream, std::function<double(double)> run, bool light,
               std::vector<Ticket> after = {});
    /// Queues work and waits for it.
    void put_and_wait(const std::shared_ptr<Stream>& stream, std::function<double(double)> run);
    void wait(const Ticket& ticket);
    bool over(const Ticket& ticket);
    Ticket here(const std::shared_ptr<Stream>& stream);
    /// Waits for all streams.
    void wait_all();
    bool idle(const std::shared_ptr<Stream>& stream);
    /// Waits until all that is queued anywhere is done, as long as something is done within each span of this length.
    /// False: a span went by without that.
    bool drain(std::chrono::duration<double> each);
    /// Destroys the streams that the program has made.
    void destroy_all();
    /// At the end of the process: drops what is queued and waits for what runs.
    void end();

private:
    void work(std::shared_ptr<Stream> stream);
    bool ready(const Task& task) const;
    double start_of(const Stream& stream, const Task& task) const;
    void order(Stream& stream, Task& task);
    std::shared_ptr<Stream> make(unsigned flags, int priority);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<cudaStream_t, std::shared_ptr<Stream>> streams_;
    std::shared_ptr<Stream> legacy_;
    std::vector<std::shared_ptr<Stream>> of_threads_;
    std::vector<std::weak_ptr<Stream>> leaving_;  ///< destroyed, with work that was queued before
    std::uint64_t next_id_ = 1;
    double host_clock_ = 0;
    bool ending_ = false;
};

/// The event of a handle, or nullptr.
std::shared_ptr<Event> find_event(cudaEvent_t handle);
/// No handle stands for an event any more.
void forget_events();

}  // namespace warpwright::cudart
