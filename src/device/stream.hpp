// Work that is queued and goes on by itself: streams, events between them, and host memory that a device reads
// directly. Made by Device::make_stream, make_event and allocate_host; they must go before their device.
//
// A stream is in order; streams among themselves and against the device's own calls (Device::write, launch, time) are
// not, but for the events that one records and another waits for. On the emulated device each call is done when it
// returns: one of the orders that a program must be right in.
#pragma once

#include "device/device.hpp"

namespace warpwright::device {

class Event {
public:
    virtual ~Event() = default;
    /// Waits on the host for what was in the stream when the event was recorded; no wait where it was not.
    virtual Result<void> wait() = 0;
    /// Seconds by the device's clock from another event to this one. Both are recorded and waited for. Absent where the
    /// device has no clock.
    virtual Result<std::optional<double>> since(const Event& earlier) = 0;
};

/// Host memory, given back when this goes.
class HostMemory {
public:
    virtual ~HostMemory() = default;
    virtual std::span<std::byte> bytes() = 0;
};

/// Calls return when the work is queued, mostly; an error of the work itself comes out here or at a later call, at the
/// latest when the stream is waited for. What a copy reads or writes on the host stays until then. Copies overlap with
/// other work only where that is pinned (Device::allocate_host).
class Stream {
public:
    virtual ~Stream() = default;
    virtual Result<void> write(Address to, std::span<const std::byte> from) = 0;
    virtual Result<void> read(std::span<std::byte> to, Address from) = 0;
    virtual Result<void> copy(Address to, Address from, std::uint64_t bytes) = 0;
    virtual Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) = 0;
    virtual Result<void> launch(const Step& step) = 0;
    /// The event stands for what is in the stream now, in place of what it stood for before.
    virtual Result<void> record(Event& event) = 0;
    /// What is queued from here on begins after what the event stands for; an event that was not recorded is no wait.
    virtual Result<void> wait(const Event& event) = 0;
    /// Waits on the host until all is done. Past `timeout` (0 = none) as Device::launch does.
    virtual Result<void> finish(std::chrono::milliseconds timeout = std::chrono::milliseconds{0}) = 0;
};

}  // namespace warpwright::device
