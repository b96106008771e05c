// Where a problem runs: plain C++, OpenCL C on PoCL, or the emulated GPU. One of them lives in each worker process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device/emulated/emulated.hpp"
#include "problems.hpp"

namespace warpwright::bench {

/// A problem made ready on a backend: compiled as far as the backend does that before a launch, buffers filled.
class Prepared {
public:
    virtual ~Prepared() = default;
    /// Puts the output buffer back to its contents before a run. Not timed.
    virtual void reset() = 0;
    /// All steps, to their end. Throws std::runtime_error.
    virtual void run() = 0;
    virtual Bytes output() = 0;
    /// Of the last run; 0 where nobody counts.
    virtual std::uint64_t thread_instructions() const { return 0; }
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::unique_ptr<Prepared> prepare(const Problem& problem) = 0;
    /// One launch that writes buffers of this many bytes in all, with no copy of them on the host's side.
    virtual void use_memory(std::uint64_t bytes);
};

struct BackendOptions {
    unsigned cores = 1;
    std::string kernels;          ///< folder of the .cu and .cl files; of a .ptx file beside it no .cu is read
    std::string cache_directory;  ///< where compiled code may be kept; empty when the worker starts cold
};

/// "plain", "pocl", "counted" or "uncounted" (the emulated GPU, counters on or off). Throws std::runtime_error,
/// also for a backend that this program was built without.
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options);

std::unique_ptr<Backend> make_plain();
std::unique_ptr<Backend> make_pocl(const BackendOptions& options);
std::unique_ptr<Backend> make_emulated_backend(const BackendOptions& options, bool counters);

/// Writes the PTX of all problems' kernels into a folder, for machines without a compiler. Throws std::runtime_error.
void write_ptx(const BackendOptions& options, const std::string& folder);

}  // namespace warpwright::bench
