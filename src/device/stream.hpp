// Asynchronous work: streams, events between them, and host memory that a device reads directly. Device::streams makes
// them; they must be destroyed before their device.
//
// A stream is in order. Streams are not ordered with each other nor with the device's own calls (Device::write, launch,
// time), except by events that one records and another waits for. On the emulated device each call has completed when
// it returns, which is one of the orders that a correct program must allow.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "device/launch.hpp"
#include "timeline/work.hpp"

namespace warpwright::device {

using timeline::StreamKind;

class Event {
public:
    virtual ~Event() = default;
    /// Waits on the host for the stream's work at the time when the event was recorded; does not wait if it was not
    /// recorded.
    virtual Result<void> wait() = 0;
    /// Seconds by the device's clock from another event to this one. Both are recorded and waited for. Absent if the
    /// device has no clock.
    virtual Result<std::optional<double>> since(const Event& earlier) = 0;
};

/// Host memory; the destructor releases it.
class HostMemory {
public:
    virtual ~HostMemory() = default;
    virtual std::span<std::byte> bytes() = 0;
};

/// Calls mostly return when the work is queued; an error of the work itself is returned here or by a later call, at the
/// latest when the stream is waited for. The host memory of a copy must stay unchanged until then. Copies overlap with
/// other work only if it is pinned (Streams::allocate_host).
class Stream {
public:
    virtual ~Stream() = default;
    virtual Result<void> write(Address to, std::span<const std::byte> from) = 0;
    virtual Result<void> read(std::span<std::byte> to, Address from) = 0;
    virtual Result<void> copy(Address to, Address from, std::uint64_t bytes) = 0;
    virtual Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) = 0;
    virtual Result<void> launch(const Step& step) = 0;
    /// The event marks the stream's present work, in place of what it marked before.
    virtual Result<void> record(Event& event) = 0;
    /// Work queued from here on begins after the work that the event marks; an event that was not recorded does not
    /// wait.
    virtual Result<void> wait(const Event& event) = 0;
    /// Waits on the host until all work is done. After `timeout` (0 = none) it acts like Device::launch.
    virtual Result<void> finish(std::chrono::milliseconds timeout = std::chrono::milliseconds{0}) = 0;
};

class Streams {
public:
    virtual ~Streams() = default;
    Result<std::unique_ptr<Stream>> make_stream() { return make_stream_as(StreamKind::independent); }
    /// A stream of some kind; two default streams are the same. If streams are executed in order, all kinds are alike.
    virtual Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind) = 0;
    virtual Result<std::unique_ptr<Event>> make_event() = 0;
    /// Page-locked memory, from and to which copies run at full speed and concurrently with other work.
    virtual Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes) = 0;
    /// True if events report modelled times, not measured ones (modelled_time.hpp).
    virtual bool models_time() const { return false; }
};

}  // namespace warpwright::device
