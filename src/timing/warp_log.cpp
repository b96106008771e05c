// Cycles are summed over the whole simulation, while intervals are kept up to the cycle that was asked for. Names and
// meanings of the states come from the list that also makes the enumeration.
#include "timing/warp_log.hpp"

#include <algorithm>

namespace warpwright::timing {

void WarpLog::add(std::uint32_t warp, Stall state, const simt::Details* at, double begin, double end) {
    if (end <= begin) return;
    by_instruction[at][static_cast<std::size_t>(state)] += end - begin;
    if (begin < until) intervals.push_back({warp, state, at, begin, std::min(end, until)});
}

namespace {

struct StallWords {
    const char *name, *meaning;
};
constexpr StallWords kWords[] = {
#define WW_STALL(name, text, meaning) {text, meaning},
#include "timing/stalls.inc"
#undef WW_STALL
};

}  // namespace

const char* stall_name(Stall state) { return kWords[static_cast<std::size_t>(state)].name; }
const char* stall_meaning(Stall state) { return kWords[static_cast<std::size_t>(state)].meaning; }

}  // namespace warpwright::timing
