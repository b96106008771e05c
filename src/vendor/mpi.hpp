// MPI, where the program was started by an mpirun: which of how many processes this is, and a few exchanges between
// them. The library (Open MPI, or MPICH and what has its binary interface) is looked for when the program runs.
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
    /// This one's number as mpirun gave it, before anything is joined; 0 without an mpirun.
    static unsigned rank_by_environment();

    /// Joins the others: all of them must call this. The first call counts, later ones give the same.
    /// ErrorKind::no_device when there is no library, or it does not start.
    static Result<std::shared_ptr<Mpi>> open();
    /// For tests: these library files alone.
    static Result<std::shared_ptr<Mpi>> open_files(const std::vector<std::string>& files);
    virtual ~Mpi() = default;

    virtual unsigned rank() const = 0;
    virtual unsigned size() const = 0;
    virtual std::string title() const = 0;  ///< "Open MPI"
    /// The rank among the processes of this machine: which of its GPUs to take.
    virtual unsigned local_rank() const = 0;
    virtual unsigned local_size() const = 0;  ///< processes on this machine, as mpirun gave it

    virtual Result<void> broadcast(std::span<std::byte> bytes, unsigned from) = 0;
    /// Sums over all processes, in place.
    virtual Result<void> sum(std::span<double> values) = 0;
    /// The bytes of all processes by rank; each gives as many.
    virtual Result<std::vector<std::byte>> gather(std::span<const std::byte> bytes) = 0;
    virtual Result<void> barrier() = 0;

    // Messages of any length between two processes, in the order in which they were sent. Neither call waits for the
    // other side.
    virtual Result<void> send(std::span<const std::byte> bytes, unsigned to) = 0;
    /// The next message of that process; absent while there is none, or not yet the whole of it.
    virtual Result<std::optional<std::vector<std::byte>>> receive(unsigned from) = 0;
    /// Moves what was sent on its way; false while some of it has not left.
    virtual Result<bool> sent() = 0;
};

}  // namespace warpwright::vendor
