// A worker: one process that holds one backend on a number of cores, and runs problems as it is told. Processes of
// their own keep the backends' threads, caches, LLVM versions and memory apart, and let one run interleave them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "backend.hpp"
#include "bounds.hpp"

namespace warpwright::bench {

/// The worker's side: serves requests on stdin until it closes; returns the exit code.
///   "<problem>"   ->  "ok <seconds> <cold seconds> <thread instructions> <processor seconds>"  or  "failed <why>"
///   "bound <problem>" ->  "ok <seconds> <by>"
///   "memory <n>"  ->  "ok <peak resident bytes>" of a launch on n bytes of buffers
int serve(const std::string& backend, const BackendOptions& options);

struct Answer {
    std::string error;   ///< empty when the run was right
    double seconds = 0;  ///< this run, launch to finish
    double cold = 0;     ///< the worker's first run of this problem: compilation, buffers and launch
    std::uint64_t thread_instructions = 0;
    double processor = 0;  ///< this run, of all threads
};

/// The coordinator's side.
class Worker {
public:
    Worker(const std::string& backend, const BackendOptions& options);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    Answer run(const std::string& problem);
    /// Throws std::runtime_error.
    Bound bound(const std::string& problem);
    /// Peak resident memory of the worker, bytes, after a launch on this many bytes of buffers. Throws
    /// std::runtime_error.
    std::uint64_t memory(std::uint64_t buffers);

private:
    std::string ask(const std::string& line);

    int process_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
};

}  // namespace warpwright::bench
