// Who wants to know of each launch when it is done: the digest of memory, the C interface. Observers are called on the
// thread that ran the launch, one at a time.
#pragma once

#include "cudart/work/launch/kernel_launch.hpp"

namespace warpwright::cudart {

class LaunchObserver {
public:
    virtual ~LaunchObserver() = default;
    /// `from_device`: a kernel has launched it.
    virtual void launched(const Launch& launch, const device::LaunchResult& result, const Timed& timed,
                          bool from_device) = 0;
    virtual void failed(const Launch& launch, const Error& error) = 0;
};

/// Both may be called while launches run; after the second returns, the observer is called no more.
void add_observer(LaunchObserver& observer);
/// Whether there is any.
bool is_observed();
void remove_observer(LaunchObserver& observer);

void tell_launched(const Launch& launch, const device::LaunchResult& result, const Timed& timed, bool from_device);
void tell_failed(const Launch& launch, const Error& error);

/// What a launch by run_at_once() leaves for its caller.
struct AtOnce {
    std::optional<Error> error;  ///< why it ended; it is printed nowhere, and no later call returns it
    std::string output;          ///< what the kernel printed
};
/// Runs a launch after all that is queued, and waits for it: a program that is no CUDA program wants its result, or its
/// error, now.
AtOnce run_at_once(const Launch& launch);
/// That of the launch which the calling thread runs; null for any other.
AtOnce*& at_once();

}  // namespace warpwright::cudart
