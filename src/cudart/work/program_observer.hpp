// Who hears of all that a program has done, each piece of work as it is done: the profile and the checkers. (Calls they
// are told of by the entry points, which lie above them.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "cudart/memory/memory_table.hpp"
#include "cudart/work/stream/stream_order.hpp"
#include "device/device.hpp"
#include "record/sample.hpp"
#include "timeline/timeline.hpp"

namespace warpwright::cudart {

struct Copy;
struct Fill;
struct Launch;
struct Timed;

/// Called on the thread that does the work, by several at once, and without a lock: unlike a LaunchObserver it stays as
/// long as the process.
class ProgramObserver {
public:
    virtual ~ProgramObserver() = default;
    /// A copy is about to be made.
    virtual void copying(const Copy&) {}
    /// A copy or fill is done, and so the work may be tagged: by one observer at most, which placed() tells of it then.
    virtual void copied(const char* name, timeline::Work&) { (void)name; }
    /// A copy is about to be queued, and was queued, by a call that returns before it is done.
    virtual void queuing(const Copy&) {}
    virtual void queued(const Copy&, const IssuedWork&) {}
    /// Launches are about to be queued with these parameters (none are known of a graph's), and were queued as this
    /// work.
    virtual void queuing_launches(std::span<const std::byte>) {}
    virtual void queued_launches(const IssuedWork&) {}
    /// The host is about to wait for this work, or asks whether it is done.
    virtual void host_waits(const IssuedWork&) {}
    /// A host function is about to run, and has ended, on the same thread.
    virtual void function_begins() {}
    virtual void function_ends() {}
    /// A copy was made.
    virtual void made(const Copy&) {}
    /// The host has just waited for some work; or may have been told of some, at a time that nobody knows.
    virtual void host_waited() {}
    virtual void host_told() {}
    /// The order of work is not known any more.
    virtual void order_lost() {}
    /// A fill is about to be made.
    virtual void filling(const Fill&) {}
    /// A launch by the host is about to run, and has ended, on the same thread.
    virtual void begins(const Launch&) {}
    virtual void ends(const Launch&) {}
    /// Memory was allocated in the order of a stream, by this work; and is being freed by this. True: the observer
    /// gives it back to the device later. Both on the program's own thread.
    virtual void allocated(const Block&, const IssuedWork&) {}
    virtual bool freed(const Block&, const IssuedWork&) { return false; }
    /// A launch by the host is over, well or not. The others hear of it later.
    virtual void over() {}
    /// The work of `timed` may be tagged likewise. `from_device`: a kernel has launched it.
    virtual void launched(const Launch&, const device::LaunchResult&, const std::optional<record::Sample>&, Timed&,
                          bool from_device) {
        (void)from_device;
    }
    virtual void failed(const Launch&, const Error&) {}
    /// Work has its place on the modelled clock. Called under the scheduler's lock.
    virtual void placed(const timeline::Span&, std::uint64_t stream) { (void)stream; }
};

/// Runs a function of the program's as work of a stream.
void run_as_work(const std::function<void()>& function);

/// Those of this process, as the settings ask for them. (observe/program_observers.cpp has the list.)
std::span<ProgramObserver* const> program_observers();

}  // namespace warpwright::cudart
