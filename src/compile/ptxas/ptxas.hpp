// NVIDIA's assembler ptxas, where a machine has one: what it says of the registers of kernels and of what it spills.
// It is looked for when the program runs and never needed: without it these figures are estimates
// (machine/registers.hpp).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compile/ptxas/figures.hpp"
#include "support/result.hpp"

namespace warpwright::compile {

/// The PTX of a module.
struct AssembleText {
    std::string name;  ///< in messages
    const std::string& ptx;
    std::string target;  ///< that it names: "sm_90a"
};

class Ptxas {
public:
    /// As WARPWRIGHT_PTXAS says: null where that is "off"; a file that it names must be NVIDIA's ptxas, else that is an
    /// error. Where nothing is named, one is looked for at the first call of figures(): in CUDA_HOME and CUDA_PATH, in
    /// PATH, in /usr/local/cuda. Warpwright's own stand-in is passed over; so is what is no ptxas, with a warning.
    ///
    /// What it says is kept in `cache_directory` under a digest of the text, the target and the version.
    static Result<std::shared_ptr<Ptxas>> of_process(const std::string& cache_directory);

    /// Of the functions of a text, on devices of this compute capability (90). `entry`: only this kernel is assembled;
    /// empty: all. `group`: kernels that are assembled with it at once, it among them, unless one of them cannot be:
    /// reading a long text takes longer than assembling a kernel of it. A text with instructions that its own target
    /// lacks is assembled as if it named the device's. Nothing where there is no ptxas, or where it cannot assemble the
    /// text, which is said once, as a warning. An error (kind limit) where it takes more than WARPWRIGHT_PTXAS_TIMEOUT
    /// seconds, more than a minute to say its version, or is killed, after which it is not asked again: if estimates
    /// took the place of what it did not say in time, figures would depend on what else the machine does. Any thread
    /// may call it.
    Result<std::optional<AssembledModule>> figures(const AssembleText& text, int compute_capability,
                                                   const std::string& entry,
                                                   const std::vector<std::string>& group = {});

    /// "ptxas 13.0"; empty where there is none.
    std::string source();

private:
    struct Found {
        std::string path;
        PtxasVersion version;
    };
    explicit Ptxas(std::string cache_directory) : cache_directory_(std::move(cache_directory)) {}
    Result<Found> identify(const std::string& path) const;  ///< which may be our stand-in
    const std::optional<Found>& found();
    Result<AssembledModule> assemble_for(const AssembleText& text, int compute_capability, const std::string& entry);
    std::string refusal(const std::string& name, const std::string& target, const std::string& why);
    Result<AssembledModule> assemble(const Found& with, const AssembleText& text, const std::string& target,
                                     const std::string& entry);
    Result<std::string> run(const Found& with, const AssembleText& text, const std::string& target,
                            const std::string& entry, bool& lasting) const;

    const std::string cache_directory_;
    std::once_flag searched_;
    std::optional<Found> found_;
    std::mutex mutex_;
    std::map<std::string, Result<AssembledModule>> known_;  ///< by digest
    std::atomic<bool> noted_{false};
    std::optional<Error> gave_up_;  ///< one text took too long: a program may have hundreds. Guarded by mutex_
};

}  // namespace warpwright::compile
