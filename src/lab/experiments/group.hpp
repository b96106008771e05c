// Several devices that work on one problem: GPUs of this machine through NCCL, emulated ones over modelled links, and
// either of them in several processes under MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/links.hpp"
#include "device/peers.hpp"
#include "lab/experiments/workbench.hpp"
#include "vendor/mpi.hpp"
#include "vendor/nccl.hpp"

namespace warpwright::lab {

using arch::link_of;
using arch::ring_gather_seconds;
using arch::ring_sum_seconds;

/// False in the processes of an mpirun but one: that one prints and stores.
bool first_of_processes();

class Group {
public:
    /// `count` devices in this process: the machine's GPUs where the context's device is one, else emulated ones.
    static Result<std::unique_ptr<Group>> local(const Context& context, unsigned count, bool multicast);
    /// One device in each process of MPI.
    static Result<std::unique_ptr<Group>> over(const Context& context, std::shared_ptr<vendor::Mpi> mpi,
                                               bool multicast);
    /// GPUs of this machine; 0 where the context's device is emulated.
    static unsigned machine_gpus(const Context& context);

    unsigned ranks() const { return ranks_; }
    unsigned first() const { return first_; }  ///< rank of the first member
    std::vector<Workbench>& members() { return members_; }
    bool measured() const { return members_.front().measured(); }
    record::Basis basis() const { return measured() ? record::Basis::measured : record::Basis::predicted; }
    /// "NCCL 2.28.9", "a ring over modelled links"
    std::string exchange() const;

    /// Addresses are one a member; every rank must call it. Seconds of the exchange.
    Result<double> all_reduce(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                              std::uint64_t count);
    Result<double> all_gather(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                              std::uint64_t count);
    /// The largest over all ranks of what each found for its members.
    Result<double> slowest(double seconds);
    /// Waits for all ranks.
    Result<void> meet();

private:
    Group() = default;
    /// `ordinal`: of a GPU; none: a device of our own.
    Result<void> add_member(const Context& context, std::optional<int> ordinal);
    Result<void> connect(const Context& context, bool multicast);
    Result<double> timed(std::function<Result<void>()> work, const char* name);

    std::vector<std::unique_ptr<device::Device>> devices_;  // before members: they go first
    std::vector<std::unique_ptr<Context>> contexts_;
    std::vector<Workbench> members_;
    std::shared_ptr<vendor::Mpi> mpi_;
    std::shared_ptr<vendor::Nccl> nccl_;
    device::LinkModel link_;
    unsigned ranks_ = 1, first_ = 0;
    std::chrono::milliseconds timeout_{0};
};

}  // namespace warpwright::lab
