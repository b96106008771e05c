// Exercises whose file is a whole program: who builds and runs them is given by the command, since the runtime library
// and the confinement of strangers' programs are its matter.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "record/finding.hpp"
#include "support/result.hpp"

namespace warpwright::learn {

/// What a program did.
struct ProgramRun {
    int code = 0;                           ///< its own; 128 + signal where a signal ended it
    std::string output, errors;             ///< standard output and standard error
    std::vector<record::Finding> findings;  ///< where it was checked
    profile::Profile profile;               ///< with its events where it was not
};

class Programs {
public:
    virtual ~Programs() = default;
    /// A program that can be run, from a source; `own`: of the exercise, hence trusted. Errors: input, the compiler's
    /// words; no_device where the machine lacks what it takes.
    virtual Result<std::string> build(const std::string& source, bool own) = 0;
    /// Runs it to its end, or to the end of its time (ErrorKind::limit).
    virtual Result<ProgramRun> run(const std::string& program, const std::vector<std::string>& arguments, bool checked,
                                   bool own) = 0;
    /// Whether several threads may run programs at once.
    virtual bool side_by_side() const = 0;
};

}  // namespace warpwright::learn
