// Several GPUs of a machine and the links between them: which can access each other's memory, and how long copies take.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "arch/links.hpp"
#include "support/result.hpp"

namespace warpwright::device {

namespace cuda {
struct Driver;
}

/// A round of copies between two devices.
struct PeerCopy {
    unsigned from = 0, to = 0;
    std::uint64_t bytes = 0;
    bool both = false;         ///< the other device sends as many bytes at the same time
    std::uint32_t repeat = 1;  ///< copies queued one after the other
    std::chrono::milliseconds timeout{0};
};

class Peers {
public:
    virtual ~Peers() = default;
    virtual unsigned count() const = 0;
    virtual std::string name(unsigned device) const = 0;
    /// Whether `from` writes into the memory of `to` without going through the host.
    virtual bool direct(unsigned from, unsigned to) const = 0;
    /// True where copies are timed; else their times are modelled.
    virtual bool measured() const = 0;
    /// Seconds of one copy; of both directions until both are done.
    virtual Result<double> copy(const PeerCopy& copy) = 0;
};

/// The GPUs of this machine, at most `most`. ErrorKind::no_device where there is none.
Result<std::unique_ptr<Peers>> make_cuda_peers(unsigned most, std::shared_ptr<const cuda::Driver> driver = {});

using arch::LinkModel;
/// The links of a device model, every pair alike.
std::unique_ptr<Peers> make_modelled_peers(unsigned count, std::string name, const LinkModel& model);

}  // namespace warpwright::device
