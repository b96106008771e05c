// Advice is kept as ranges in an ordered map, which are cut where a new one begins or ends. A query over a range
// answers with what all of its parts have in common.
#include "cudart/memory/advice.hpp"

#include <algorithm>
#include <iterator>

namespace warpwright::cudart {
namespace {

bool same(const cudaMemLocation& a, const cudaMemLocation& b) { return a.type == b.type && a.id == b.id; }

/// A processor as the older attributes name it: the device's number, or the host's.
int number_of(const cudaMemLocation& l) { return l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId; }

}  // namespace

bool MemoryAdvice::State::operator==(const State& o) const {
    return read_mostly == o.read_mostly && same(preferred, o.preferred) && same(prefetched, o.prefetched) &&
           accessed_by == o.accessed_by;
}

MemoryAdvice& MemoryAdvice::get() {
    static auto* advice = new MemoryAdvice;
    return *advice;
}

void MemoryAdvice::cut(std::uint64_t at) {
    auto after = parts_.lower_bound(at);
    if (after == parts_.begin()) return;
    auto& before = std::prev(after)->second;
    if (before.last <= at) return;
    parts_[at] = before;
    before.last = at;
}

template <class F>
void MemoryAdvice::change(std::uint64_t address, std::uint64_t bytes, F work) {
    std::lock_guard lock(mutex_);
    const auto end = address + bytes;
    cut(address), cut(end);
    for (auto at = address; at < end;) {
        const auto next = parts_.lower_bound(at);
        if (next == parts_.end() || next->first != at) {
            const auto last = next == parts_.end() ? end : std::min(end, next->first);
            parts_[at] = {last, {}};
        }
        auto& part = parts_[at];
        work(part.state);
        at = part.last;
    }
    // Parts without advice are none, so that a program that takes advice back leaves nothing here.
    for (auto p = parts_.lower_bound(address); p != parts_.end() && p->first < end;)
        p = p->second.state == State{} ? parts_.erase(p) : std::next(p);
}

void MemoryAdvice::advise(std::uint64_t address, std::uint64_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
    change(address, bytes, [&](State& s) {
        switch (advice) {
            case cudaMemAdviseSetReadMostly:
            case cudaMemAdviseUnsetReadMostly:
                s.read_mostly = advice == cudaMemAdviseSetReadMostly;
                break;
            case cudaMemAdviseSetPreferredLocation:
                s.preferred = location;
                break;
            case cudaMemAdviseUnsetPreferredLocation:
                s.preferred = {};
                break;
            case cudaMemAdviseSetAccessedBy:
                s.accessed_by.insert(number_of(location));
                break;
            case cudaMemAdviseUnsetAccessedBy:
                s.accessed_by.erase(number_of(location));
                break;
        }
    });
}

void MemoryAdvice::prefetched(std::uint64_t address, std::uint64_t bytes, cudaMemLocation location) {
    change(address, bytes, [&](State& s) { s.prefetched = location; });
}

void MemoryAdvice::forget(std::uint64_t address, std::uint64_t bytes) {
    change(address, bytes, [](State& s) { s = {}; });
}

MemoryAdvice::State MemoryAdvice::common(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    const auto end = address + bytes;
    std::optional<State> found;
    const auto meet = [&](const State& s) {
        if (!found) {
            found = s;
            return;
        }
        found->read_mostly &= s.read_mostly;
        if (!same(found->preferred, s.preferred)) found->preferred = {};
        if (!same(found->prefetched, s.prefetched)) found->prefetched = {};
        std::erase_if(found->accessed_by, [&](int who) { return !s.accessed_by.count(who); });
    };
    auto p = parts_.upper_bound(address);
    if (p != parts_.begin() && std::prev(p)->second.last > address) --p;
    auto at = address;
    for (; p != parts_.end() && p->first < end; ++p) {
        if (p->first > at) meet({});
        meet(p->second.state);
        at = p->second.last;
    }
    if (at < end) meet({});
    return found.value_or(State{});
}

}  // namespace warpwright::cudart
