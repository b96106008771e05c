// Rounds in which a block waits for the host: how many there are is the machine's affair, so none of them is counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// Takes turns of blocks back that did nothing but look at memory of the host: after them the block's threads and
/// memory are as before, and they wrote nothing. Such a turn is the same each time until the host writes there.
class HostWait {
public:
    /// `executor`: the one that runs the blocks, alone.
    explicit HostWait(Executor& executor);

    /// Before a turn of a block. False where it cannot be such a turn, and need not be looked at.
    bool may_begin(ResidentBlock& block);
    /// After the turn, if may_begin() was true: whether it was one. Counts, trace and clock are then as they were
    /// before.
    bool took_back(ResidentBlock& block);

private:
    bool reads_host(std::uint32_t site) const;
    bool only_looked() const;

    struct Before {
        std::uint64_t state = 0, clock = 0;
        std::vector<std::uint64_t> counters, did;
        std::vector<Site> sites;
        std::vector<SiteSpaces> spaces;
        /// Of each warp: how often it has yielded, and whose turn among its lanes it is.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> spins;
        std::vector<std::size_t> events;  ///< of the trace, by warp
        std::vector<bool> cut;
        std::size_t sectors = 0;
        std::uint64_t traced = 0;
    };
    void keep(ResidentBlock& block);
    void restore(ResidentBlock& block);
    bool patient();

    Executor& executor_;
    bool possible_;
    std::vector<std::vector<std::uint32_t>> loads_;  ///< sites by block of code: loads that may go to global memory
    std::vector<bool> changes_;                      ///< by block of code: it writes beyond the block
    Before before_;
    std::optional<std::chrono::steady_clock::time_point> since_;  ///< the first that was taken back
};

}  // namespace warpwright::engine
