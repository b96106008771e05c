// These functions give each lane its pass and compare all pairs of lanes for that: they serve pictures, while the
// counting functions need totals only and are written for speed. Both divide a request into groups and units by the
// same code.
#include "counters/schedule.hpp"

#include <algorithm>

#include "counters/units.hpp"

namespace warpwright::counters {
namespace {

using Lane = BankSchedule::Lane;

/// Lanes at one word share its pass; words of a bank follow each other. Returns the passes.
unsigned by_word(std::vector<Lane*>& lanes, unsigned first_pass) {
    unsigned passes = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        unsigned turn = 0;
        bool shared = false;
        for (std::size_t j = 0; j < i && !shared; ++j) {
            if (lanes[j]->bank != lanes[i]->bank) continue;
            turn = std::max(turn, lanes[j]->pass - first_pass + 1);
            if (lanes[j]->word != lanes[i]->word) continue;
            lanes[i]->pass = lanes[j]->pass;
            shared = true;
        }
        if (!shared) lanes[i]->pass = first_pass + turn;
        passes = std::max(passes, lanes[i]->pass - first_pass + 1);
    }
    return passes;
}

/// Every lane takes a separate turn at its bank.
unsigned by_lane(std::vector<Lane*>& lanes, unsigned first_pass) {
    unsigned passes = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const auto before = std::count_if(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(i),
                                          [&](const Lane* l) { return l->bank == lanes[i]->bank; });
        lanes[i]->pass = first_pass + static_cast<unsigned>(before);
        passes = std::max(passes, static_cast<unsigned>(before) + 1);
    }
    return passes;
}

/// Compute capability 1.x: a pass serves all lanes of one word, the one with the most lanes in the fullest bank, and
/// one lane of every other bank.
unsigned one_broadcast(std::vector<Lane*> left, unsigned first_pass) {
    unsigned passes = 0;
    while (!left.empty()) {
        const Lane* best = nullptr;
        std::size_t best_score = 0;
        for (const Lane* l : left) {
            const auto in_bank =
                std::count_if(left.begin(), left.end(), [&](const Lane* o) { return o->bank == l->bank; });
            const auto same =
                std::count_if(left.begin(), left.end(), [&](const Lane* o) { return o->word == l->word; });
            const std::size_t score = static_cast<std::size_t>(in_bank) * 64 + static_cast<std::size_t>(same);
            if (score > best_score) best = l, best_score = score;
        }
        const std::uint32_t word = best->word;
        std::uint64_t used = std::uint64_t{1} << best->bank;
        std::vector<Lane*> rest;
        for (Lane* l : left) {
            const std::uint64_t bit = std::uint64_t{1} << l->bank;
            if (l->word != word && (used & bit)) {
                rest.push_back(l);
                continue;
            }
            used |= bit;
            l->pass = first_pass + passes;
        }
        left = std::move(rest);
        ++passes;
    }
    return passes;
}

}  // namespace

BankSchedule shared_schedule(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes,
                             unsigned lanes, const BankRule& rule) {
    mask &= low_lanes(lanes);
    const bool turns = op == SharedOp::atomic || op == SharedOp::atomic_cas;
    const Units units = units_of(bytes, rule);
    std::uint32_t unit[64];
    const unsigned group =
        units_of_lanes(addresses, mask, bytes, lanes, rule, op == SharedOp::load && rule.joins_broadcast_groups, unit);
    BankSchedule out;
    out.width = rule.banks / units.banks;
    out.lanes.resize(lanes);
    for (unsigned first = 0; first < lanes; first += group) {
        std::vector<Lane*> served;
        for (unsigned i = first; i < std::min(first + group, lanes); ++i)
            if (mask >> i & 1) {
                out.lanes[i] = {0, (unit[i] & (units.banks - 1)) * out.width, unit[i], true, out.groups};
                served.push_back(&out.lanes[i]);
            }
        if (served.empty()) continue;
        ++out.groups;
        out.passes += turns            ? by_lane(served, out.passes)
                      : rule.multicast ? by_word(served, out.passes)
                                       : one_broadcast(served, out.passes);
    }
    return out;
}

}  // namespace warpwright::counters
