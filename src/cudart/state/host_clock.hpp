// The clocks that the program reads, where they go with the modelled one (support/host_clock.hpp): each entry point of
// our libraries is a call during which they stand still, and the scheduler says how far the host has come.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/host_clock.hpp"

namespace warpwright::cudart {

class HostClock {
public:
    static HostClock& get();
    /// Whether the program's clocks are modelled: it was asked for, and the library that keeps them is loaded.
    bool modelled() const { return functions_ != nullptr; }
    /// What the program has done by itself since this was last asked, in seconds.
    double take_own() const { return functions_ ? static_cast<double>(functions_->take_own()) * 1e-9 : 0; }
    /// How far the host has come on the program's clock, in seconds from its beginning.
    void reached(double seconds) { reached_ = static_cast<std::int64_t>(seconds * 1e9); }

    /// A call of one of our libraries.
    class Call {
    public:
        Call() : functions_(get().functions_) {
            if (functions_) functions_->enter();
        }
        ~Call() {
            if (functions_) functions_->leave(get().reached_, asked);
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        bool asked = false;  ///< it tells the program that work is not done yet

    private:
        const HostClockFunctions* functions_;
    };
    /// A function of the program's that a thread of ours runs.
    class Program {
    public:
        Program() : functions_(get().functions_) {
            if (functions_) functions_->program(true);
        }
        ~Program() {
            if (functions_) functions_->program(false);
        }
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;

    private:
        const HostClockFunctions* functions_;
    };

private:
    HostClock();
    const HostClockFunctions* functions_ = nullptr;
    std::atomic<std::int64_t> reached_{0};
};

}  // namespace warpwright::cudart
