// Whole programs under the checkers (WARPWRIGHT_MODE=check): errors of the host's side, in addition to those that the
// device finds in kernels. These are memory that is never freed and errors that nobody looks at, each with the line of
// the program's call. All findings go to a file (WARPWRIGHT_FINDINGS) or, without one, as text to standard error when
// the program ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cudart/observe/launch_places.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/work/program_observer.hpp"
#include "driver_types.h"
#include "record/finding.hpp"
#include "support/source_files.hpp"

namespace warpwright::cudart {

class Checks final : public ProgramObserver {
public:
    static Checks& get();
    static bool on();

    /// A call returned an error. Recorded if the program's code does not look at it. `stub`: the call came from the
    /// host function that the compiler generates for a kernel.
    void failed(unsigned api, cudaError_t error, bool stub);
    /// The calling thread has asked for its last error.
    void asked();
    /// Elements that a copy takes to the host although nothing wrote them are a finding.
    void copying(const Copy& copy) override;
    /// What a launch's kernel has done wrong, if it is a library's, is the fault of the line that launched it.
    void ends(const Launch& launch) override;
    /// Keeps the findings so far, for programs that are killed.
    void over() override;
    /// At the end. `last`: no code of the program runs any more.
    void end(bool last);

private:
    Checks() = default;
    struct Failure {
        unsigned api;
        cudaError_t error;
        std::shared_ptr<const CallStack> stack;
        std::uint64_t count;
        bool stub;
    };
    bool unread(const CallStack& stack);
    void name_allocation(record::Finding& finding);
    void write(bool ended);
    /// `ended`: memory that is allocated now has leaked.
    std::vector<record::Finding> findings(bool ended);

    std::mutex mutex_;
    std::map<std::thread::id, std::vector<Failure>> failures_;  ///< errors that were not looked at so far
    std::map<CallStack, bool> unread_;
    /// By address and size.
    std::map<record::FindingAllocation, record::FindingPlace> allocated_at_;
    LaunchPlaces places_;
    SourceFiles sources_;   ///< texts that name variables; guarded by mutex_, as all of these are
    std::size_t kept_ = 0;  ///< findings of the device in the file
};

}  // namespace warpwright::cudart
