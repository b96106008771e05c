// MPI, if an mpirun has started the program: the rank and the number of processes, and a few exchanges between them.
// The library (Open MPI, or MPICH and libraries with its binary interface) is looked for when the program runs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::vendor {

class Mpi {
public:
    /// An mpirun (or srun) started this process as one of several.
    static bool started();
    /// The rank that mpirun gave, before joining; 0 without an mpirun.
    static unsigned rank_by_environment();

    /// Joins the others: all of them must call this. Only the first call joins, later ones return the same.
    /// ErrorKind::no_device if there is no library, or it does not start.
    static Result<std::shared_ptr<Mpi>> open();
    /// For tests: only these library files.
    static Result<std::shared_ptr<Mpi>> open_files(const std::vector<std::string>& files);
    virtual ~Mpi() = default;

    virtual unsigned rank() const = 0;
    virtual unsigned size() const = 0;
    virtual std::string title() const = 0;  ///< "Open MPI"
    /// The rank among the processes of this machine, which selects its GPU.
    virtual unsigned local_rank() const = 0;
    virtual unsigned local_size() const = 0;  ///< processes on this machine, as mpirun gave it

    virtual Result<void> broadcast(std::span<std::byte> bytes, unsigned from) = 0;
    /// Sums over all processes, in place.
    virtual Result<void> sum(std::span<double> values) = 0;
    /// The bytes of all processes by rank; each contributes as many.
    virtual Result<std::vector<std::byte>> gather(std::span<const std::byte> bytes) = 0;
    virtual Result<void> barrier() = 0;

    // Messages of any length between two processes, in the order in which they were sent. Neither call waits for the
    // other side.
    virtual Result<void> send(std::span<const std::byte> bytes, unsigned to) = 0;
    /// The next message of that process; absent while there is none, or only a part of it.
    virtual Result<std::optional<std::vector<std::byte>>> receive(unsigned from) = 0;
    /// Continues sending; false while a part has not been sent.
    virtual Result<bool> sent() = 0;
    /// That process answers no more: what has not been sent to it counts as sent.
    virtual void abandon(unsigned to) = 0;
};

}  // namespace warpwright::vendor
