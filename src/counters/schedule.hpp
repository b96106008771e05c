// The details of requests, for pictures: the pass and the bank in which each lane of a shared-memory request is served,
// and the pieces of global memory that a request moves. There are as many passes as shared_cost() counts, and as many
// pieces as global_transactions(); which of a bank's words goes first is our choice (the lowest lane's).
#pragma once

#include <cstdint>
#include <vector>

#include "counters/access.hpp"

namespace warpwright::counters {

struct BankSchedule {
    struct Lane {
        unsigned pass = 0;
        unsigned bank = 0;       ///< the first of `width`
        std::uint32_t word = 0;  ///< the address divided by the access's width, or the bank's
        bool active = false;
        unsigned group = 0;  ///< of those that are served apart: only within one do lanes wait for each other
    };
    unsigned passes = 0;
    unsigned groups = 0;  ///< of lanes that are served apart
    unsigned width = 1;   ///< banks that a lane takes at once
    std::vector<Lane> lanes;
};

/// Arguments as of shared_cost(). A compare-and-swap's second pass of each turn is left out.
BankSchedule shared_schedule(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes,
                             unsigned lanes, const BankRule& rule = kBanksMaxwell);

/// One transaction: where it begins and how many bytes it moves.
struct Piece {
    std::uint64_t address = 0;
    unsigned bytes = 0;
    bool operator==(const Piece&) const = default;
};

/// The transactions of global_transactions(), one by one.
std::vector<Piece> global_pieces(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                                 const CoalescingRule& rule);

}  // namespace warpwright::counters
