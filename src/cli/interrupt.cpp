// The handler only sets a lock-free flag, and a second interrupt ends the process after its children and temporary
// folders. A process that ignored the signal before, as a background job does, goes on ignoring it.
#include "cli/interrupt.hpp"

#include "support/early_end.hpp"

namespace warpwright::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

}  // namespace

Interrupt::Interrupt() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int signal) {
        if (interrupted.exchange(true)) early_end::end_by(signal);
    };
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    (void)::sigaction(SIGINT, &action, &before_);
    // What ignores it, a job in a shell's background, goes on doing so.
    if (before_.sa_handler == SIG_IGN) (void)::sigaction(SIGINT, &before_, nullptr);
}

Interrupt::~Interrupt() { (void)::sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace warpwright::cli
