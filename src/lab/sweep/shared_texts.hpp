// Work that the processes of an mpirun share, each with a part of it whose result is a text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::vendor {
class Mpi;
}

namespace warpwright::lab {

class SharedTexts {
public:
    /// Joins the other processes: all of them must. ErrorKind::no_device where there is no MPI library.
    static Result<SharedTexts> join();
    /// With an MPI that is there already: for tests.
    explicit SharedTexts(std::shared_ptr<vendor::Mpi> mpi);

    unsigned rank() const;
    unsigned size() const;
    bool first() const { return rank() == 0; }
    /// On the first process the texts of all by rank, on the others nothing. All of them must call it.
    Result<std::vector<std::string>> gather(const std::string& mine);

private:
    std::shared_ptr<vendor::Mpi> mpi_;
};

}  // namespace warpwright::lab
