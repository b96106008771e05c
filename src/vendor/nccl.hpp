// NCCL: sums and gathers over several GPUs, in one process or in many. It is looked for when the program runs.
// Multicast over NVLink (NVLS) stays off unless it is requested.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "support/library_search.hpp"

namespace warpwright::vendor {

class Nccl {
public:
    /// The identifier that cooperating processes share; one of them makes it.
    using Id = std::array<char, 128>;

    /// ErrorKind::no_device, saying where it was looked for, when this machine has none. The library reads whether it
    /// may multicast once, when it is opened.
    static Result<std::unique_ptr<Nccl>> open(const LibrarySearch& search, bool multicast = false);
    virtual ~Nccl() = default;

    virtual std::string title() const = 0;  ///< "NCCL 2.28.9"
    virtual Result<Id> make_id() = 0;
    /// These devices become ranks `first`, `first` + 1, ... of `ranks`. It waits for the others, without a limit.
    virtual Result<void> join(const std::vector<device::Device*>& devices, unsigned ranks, unsigned first,
                              const Id& id) = 0;
    /// Queues in each device's native stream: `to` gets the sum over all ranks of `count` doubles at `from`.
    virtual Result<void> all_reduce(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                                    std::uint64_t count) = 0;
    /// `to` gets `count` floats of each rank, one rank after the other.
    virtual Result<void> all_gather(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                                    std::uint64_t count) = 0;
};

}  // namespace warpwright::vendor
