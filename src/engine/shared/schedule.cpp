#include "engine/shared/schedule.hpp"

#include <algorithm>
#include <charconv>

namespace warpwright::engine {

std::uint64_t Schedule::drawn(std::uint64_t a, std::uint64_t b) const {
    // The finaliser of a counter-based generator (splitmix64), over all three.
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ull + a;
    for (const auto add : {b, a}) {
        x += add + 0x9e3779b97f4a7c15ull;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 27) * 0x94d049bb133111ebull;
        x ^= x >> 31;
    }
    return x;
}

Result<Schedule> parse_schedule(const std::string& text, const std::string& where) {
    if (text.empty() || text == "forward") return Schedule{};
    if (text == "reverse") return Schedule{Schedule::Kind::reverse, 0};
    const std::string lead = "random:";
    if (text.starts_with(lead)) {
        std::uint64_t seed = 0;
        const auto* end = text.data() + text.size();
        const auto [stopped, bad] = std::from_chars(text.data() + lead.size(), end, seed);
        if (bad == std::errc() && stopped == end) return Schedule{Schedule::Kind::random, seed};
        return Error{ErrorKind::usage,
                     where + ": the seed '" + text.substr(lead.size()) + "' is no whole number from 0 to 2^64 - 1",
                     {},
                     "for instance random:1"};
    }
    return Error{
        ErrorKind::usage, where + ": there is no schedule '" + text + "'", {}, "forward, reverse or random:SEED"};
}

std::uint64_t Pace::resident(std::uint64_t threads_of_block, std::uint64_t shared_of_block) const {
    std::uint64_t fit = std::min(blocks, threads / std::max<std::uint64_t>(1, threads_of_block));
    if (const auto takes = shared_of_block + reserved_shared; takes) fit = std::min(fit, shared / takes);
    return std::max<std::uint64_t>(1, fit);
}

}  // namespace warpwright::engine
