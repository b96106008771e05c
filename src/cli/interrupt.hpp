// Ctrl-C while something long runs: it ends at its next good place and gives what it has. A second one ends the
// program.
#pragma once

#include <csignal>

#include <atomic>

namespace warpwright::cli {

/// From its making to its end the first SIGINT sets a flag. One at a time.
class Interrupt {
public:
    static constexpr int kCode = 130;  ///< what a shell calls the end by SIGINT

    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();
    const std::atomic<bool>& flag() const;

private:
    struct sigaction before_{};
};

}  // namespace warpwright::cli
