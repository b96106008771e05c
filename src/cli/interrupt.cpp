#include "cli/interrupt.hpp"

namespace warpwright::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

}  // namespace

Interrupt::Interrupt() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    (void)::sigaction(SIGINT, &action, &before_);
    // What ignores it, a job in a shell's background, goes on doing so.
    if (before_.sa_handler == SIG_IGN) (void)::sigaction(SIGINT, &before_, nullptr);
}

Interrupt::~Interrupt() { (void)::sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace warpwright::cli
