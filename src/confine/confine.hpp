// A second wall around work on strangers' input: a child process that the operating system (Landlock, seccomp and
// resource limits) holds to a few files, no network and limits of memory, time and output. There is no weaker mode:
// where the kernel cannot hold it, nothing runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::confine {

/// A file that the child may leave in its own folder, and that outlives it.
struct Kept {
    std::string name;      ///< in the child's own folder
    std::string to;        ///< where it is copied when the child has ended with exit code 0
    bool program = false;  ///< who may read the copy may start it
    bool always = false;   ///< copied whatever the exit code
};

/// What the child may use. Everything else is refused to it.
struct Bounds {
    std::vector<std::string> read;  ///< files, and folders with all below them, that may be read
    /// Files and folders within those that may not: what of `read` lies in them is refused, unless it is named there
    /// itself.
    std::vector<std::string> hidden;
    std::vector<std::string> programs;  ///< files that may be started until no_more_programs(); they inherit the bounds
    std::vector<Kept> kept;             ///< regular files that are copied out of its folder
    std::uint64_t memory_bytes = std::uint64_t{16} << 30;  ///< of address space, each process
    std::uint64_t file_bytes = std::uint64_t{256} << 20;   ///< the longest file it may write (in a folder of its own)
    std::uint64_t disk_bytes = std::uint64_t{2} << 30;     ///< of all files in that folder together
    std::uint64_t output_bytes = std::uint64_t{64} << 20;  ///< of standard output and standard error together
    std::uint64_t processor_seconds = 600;                 ///< of all its threads together, each process
    double seconds = 1200;                                 ///< by the clock
};

/// What the kernel offers; ErrorKind::no_device where it lacks Landlock (version 3, Linux 6.2) or seccomp filters.
Result<void> supported();

/// Runs `work` in a child within `bounds` and gives its exit code. What it writes to standard output and standard error
/// is passed on. Its standard input is empty; of the environment it has the WARPWRIGHT_ settings and what tools need
/// (PATH, HOME, LANG, ...), with TMPDIR at a folder of its own, which goes when it ends. Call it before there are
/// threads. Errors: input where a file that is kept is not there, is no regular file or cannot be written; limit
/// where the child passed a limit or was ended by a signal; no_device as of supported().
Result<int> run(const Bounds& bounds, const std::function<int()>& work);

/// In the child: from now on no thread of it starts a program or a process.
Result<void> no_more_programs();
/// The same, but it may become one of Bounds::programs.
Result<void> no_more_processes();

/// Whether this process is such a child.
bool confined();

}  // namespace warpwright::confine
