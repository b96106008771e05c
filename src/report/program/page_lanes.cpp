// A program may have a million events. Of each lane they stand in the order of their begin: of all of them the time
// since the event before began, then of all how long each took (both in nanoseconds), then which it is, 2 * number of
// the kernel, or 2 * number + 1 of the copy; calls have their number. Each number takes seven bits of a byte at a time,
// the lowest first, and the eighth says that more follow. Numbers of one kind beside each other pack well.
#include <algorithm>
#include <cmath>

#include "report/program/page_data.hpp"

namespace warpwright::report {
namespace {

using profile::Event;

void put_number(std::string& bytes, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
    bytes += static_cast<char>(value);
}

/// Nanoseconds; what is no time is the beginning.
std::uint64_t nanoseconds(double seconds) {
    constexpr double kLongest = 1e7;  // seconds: four months
    return seconds > 0 ? static_cast<std::uint64_t>(std::llround(std::min(seconds, kLongest) * 1e9)) : 0;
}

std::string packed(std::vector<const Event*>& events, const std::vector<std::int64_t>& rows) {
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
    std::string bytes;
    std::uint64_t before = 0;
    for (const Event* e : events) {
        const std::uint64_t begin = nanoseconds(e->start);
        put_number(bytes, begin - before);
        before = begin;
    }
    for (const Event* e : events) put_number(bytes, nanoseconds(e->seconds));
    for (const Event* e : events)
        if (e->kind == Event::Kind::call)
            put_number(bytes, e->what);
        else if (e->kind == Event::Kind::kernel)
            put_number(bytes, 2 * static_cast<std::uint64_t>(rows[e->what]));
        else
            put_number(bytes, 2 * static_cast<std::uint64_t>(e->what) + 1);
    return bytes;
}

}  // namespace

std::vector<PageLane> page_lanes(const PageInput& in) {
    const Profile& p = in.profile;
    // Kernels are numbered as the page lists them.
    std::vector<std::int64_t> rows(p.kernels.size(), -1);
    for (std::size_t k = 0; k < in.kernels.size(); ++k) rows[in.kernels[k].use - p.kernels.data()] = std::int64_t(k);
    std::map<std::pair<bool, std::uint64_t>, std::vector<const Event*>> lanes;
    for (const Event& e : p.events) {
        const bool call = e.kind == Event::Kind::call;
        if (e.kind == Event::Kind::kernel && (e.what >= rows.size() || rows[e.what] < 0)) continue;
        if (e.kind == Event::Kind::copy && e.what >= p.copies.size()) continue;
        if (call && e.what >= p.calls.size()) continue;
        lanes[{call, e.lane}].push_back(&e);
    }
    std::vector<PageLane> out;
    for (auto& [lane, events] : lanes) out.push_back({lane.first, lane.second, events.size(), packed(events, rows)});
    return out;
}

}  // namespace warpwright::report
