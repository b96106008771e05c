// A trace is large and its hash small: of an earlier launch the hash alone is kept. Two launches are equal where all
// that a simulation reads of them is: their work, their code (one object), their trace.
#include "predict/earlier_simulations.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/content_hash.hpp"

namespace warpwright::predict {

namespace {

template <class T>
std::string_view bytes_of(const std::vector<T>& v) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would differ by chance");
    return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

/// A hash of all that the simulation reads of a trace but its code, and the launch's time limit, which decides whether
/// there is a result and not what it is.
std::string content_of(const machine::LaunchTrace& trace) {
    ContentHasher hash;
    std::vector<std::uint64_t> numbers{trace.start,  trace.beyond,       trace.blocks,       trace.first,
                                       trace.stride, trace.areas.size(), trace.sample.size()};
    for (const auto& a : trace.areas)
        numbers.insert(numbers.end(), {a.first, a.sectors, std::uint64_t{a.loose}, a.behind, a.whole});
    for (const auto& block : trace.sample) {
        numbers.push_back(block.index), numbers.push_back(block.warps.size());
        for (const auto& warp : block.warps) {
            numbers.push_back(warp.cut);
            hash.add(bytes_of(warp.events));
        }
        hash.add(bytes_of(block.sectors));
    }
    return hash.add(bytes_of(trace.work)).add(bytes_of(numbers)).digest();
}

Work without_trace(Work work) {
    work.trace.reset();
    return work;
}

}  // namespace

std::optional<record::Predicted> EarlierSimulations::find(const Work& work, std::string& content) {
    const Work rest = without_trace(work);
    std::lock_guard lock(mutex_);
    for (const auto& s : last_) {
        if (s.code != work.trace->code || !(s.work == rest)) continue;
        if (s.trace.lock() == work.trace) return s.predicted;
        if (content.empty()) content = content_of(*work.trace);
        if (s.content == content) return s.predicted;
    }
    return std::nullopt;
}

void EarlierSimulations::keep(const Work& work, std::string content, const record::Predicted& predicted) {
    if (content.empty()) content = content_of(*work.trace);
    std::lock_guard lock(mutex_);
    if (last_.size() >= kMost) last_.pop_front();
    last_.push_back({without_trace(work), work.trace, work.trace->code, std::move(content), predicted});
}

}  // namespace warpwright::predict
