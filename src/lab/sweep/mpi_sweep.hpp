// A sweep spread over the processes of an mpirun: each runs some of the steps, the first gathers the records as they
// are done and tells of everything, so that what is printed and kept is that of one process. A step's counts do not
// depend on who runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/sweep/sweep.hpp"

namespace warpwright::vendor {
class Mpi;
}

namespace warpwright::lab {

/// An mpirun started this process as one of several. Nothing is joined yet.
bool several_processes();

/// Which of `ranks` processes runs each step: whole problems where there are enough of them (their rungs are timed
/// together), else single steps, the costly ones first and always to who has least. `taken`: steps that nobody needs to
/// run.
std::vector<unsigned> share_out(const Plan& plan, unsigned ranks, const std::vector<bool>& taken);

class Spread {
public:
    /// Joins the other processes: all of them must.
    static Result<std::unique_ptr<Spread>> join();
    /// With an MPI that is there already: for tests.
    explicit Spread(std::shared_ptr<vendor::Mpi> mpi);

    bool first() const { return rank_ == 0; }
    unsigned rank() const { return rank_; }
    unsigned size() const { return size_; }
    unsigned local_rank() const;  ///< among the processes of this machine
    unsigned local_size() const;
    std::string title() const;  ///< "Open MPI"

    /// Every process says whether it is ready, with the name of its device, and all go on only if all are. On the first
    /// one: what kept them from it, each error once and with its rank where not all have it; on the others any error.
    std::vector<Error> agree(const Result<void>& mine, const std::string& device, const Plan* plan);

    struct Outcome {
        record::RecordSet set;  ///< of the first process; empty on the others
        std::optional<ErrorKind> failure;
        bool cancelled = false;
    };
    /// After `agree`, on all processes with the same plan. On the first one the context's observer is told of what all
    /// of them do; on the others it is told nothing. An error where no problem could be made at all.
    Result<Outcome> run(const Context& context, Plan plan);

private:
    class Near;
    class Far;
    void pass_on(Near& near);
    Result<void> tell(char kind, const std::string& text, unsigned to);
    Result<std::optional<std::string>> hear(unsigned from);
    Result<Outcome> run_first(const Context& context, const Plan& plan);
    Result<Outcome> run_other(const Context& context, const Plan& plan);
    std::vector<bool> stored(const Context& context, const Plan& plan, Near& near);

    std::shared_ptr<vendor::Mpi> mpi_;
    unsigned rank_ = 0, size_ = 1;
    std::vector<std::string> devices_;  ///< on the first process: those of all, by rank
};

}  // namespace warpwright::lab
