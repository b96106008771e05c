// A warp has its share of each unit: with w warps on a scheduler, an operation that keeps the unit for c cycles keeps
// each of them for w * c. So a lone warp shows latencies, and many show the unit's rate.
#include "engine/shared/self_timing.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::engine {

namespace {

std::uint64_t ticks(double cycles) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, cycles) * kTicks)); }

}  // namespace

bool CacheTags::take(std::uint64_t line, unsigned sectors) {
    if (lines_ == 0) return false;
    if (const auto found = at_.find(line); found != at_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        const bool has = (found->second->sectors & sectors) == sectors;
        found->second->sectors |= sectors;
        return has;
    }
    if (at_.size() == lines_) {
        at_.erase(order_.back().line);
        order_.pop_back();
    }
    order_.push_front({line, sectors});
    at_[line] = order_.begin();
    return false;
}

void CacheTags::clear() {
    order_.clear();
    at_.clear();
}

SelfTiming::SelfTiming(const Pace& pace, std::uint64_t warps, std::uint64_t l1_bytes, SecondLevel& second)
    : latencies_(pace.latencies), warps_(static_cast<double>(warps)), l1_bytes_(l1_bytes), second_(second) {
    const double share = std::max(1.0, warps_ / static_cast<double>(std::max<std::uint64_t>(1, pace.schedulers)));
    for (std::size_t p = 0; p < machine::kPipes; ++p) {
        table_.issue[p] = ticks(std::max(1.0, share * latencies_.interval[p]));
        table_.result[p] = ticks(latencies_.result[p]);
    }
    // An access is issued in a cycle; what the load/store unit takes for it is more_passes().
    const auto memory = static_cast<std::size_t>(machine::Pipe::memory);
    table_.issue[memory] = ticks(std::max(1.0, warps_ * latencies_.request));
    table_.guard = ticks(latencies_.guard);
    table_.branch = ticks(std::max(latencies_.branch, share));
    table_.fence = ticks(2 * latencies_.l2 + 80);  // 650 cycles on an H100
}

std::uint64_t SelfTiming::barrier() const { return ticks(latencies_.barrier); }
std::uint64_t SelfTiming::constant() const { return ticks(latencies_.constant); }
std::uint64_t SelfTiming::local() const { return ticks(latencies_.l1); }

std::uint64_t SelfTiming::more_passes(unsigned passes) const {
    return passes < 2 ? 0 : ticks((passes - 1) * std::max(1.0, warps_));
}

std::uint64_t SelfTiming::shared(const Access& access) const {
    const bool atomic = access.what.kind != TracedAccess::Kind::load && access.what.kind != TracedAccess::Kind::store;
    return ticks((atomic ? latencies_.atomic_shared : latencies_.shared) + access.passes - 1);
}

CacheTags& SelfTiming::first_level(std::uint32_t multiprocessor) {
    return first_.try_emplace(multiprocessor, l1_bytes_).first->second;
}

std::uint64_t SelfTiming::global(const Access& access) {
    using Kind = TracedAccess::Kind;
    std::map<std::uint64_t, unsigned> lines;
    for (auto rest = access.mask; rest; rest &= rest - 1) {
        const auto at = access.addresses[__builtin_ctzll(rest)];
        const auto last = (at + std::max<unsigned>(1, access.what.bytes) - 1) / CacheTags::kSector;
        for (auto sector = at / CacheTags::kSector; sector <= last; ++sector)
            lines[sector / (CacheTags::kLine / CacheTags::kSector)] |= 1u << sector % 4;
    }
    const bool loads = access.what.kind == Kind::load || access.what.kind == Kind::copy;
    const bool atomic = !loads && access.what.kind != Kind::store;
    double latest = 0;
    std::lock_guard lock(second_.mutex);
    for (const auto& [line, sectors] : lines) {
        double takes = latencies_.l1;
        const bool near = loads && !access.past_first && first_level(access.multiprocessor).take(line, sectors);
        if (!near) takes = second_.tags.take(line, sectors) ? latencies_.l2 : latencies_.memory;
        latest = std::max(latest, takes);
    }
    if (atomic) latest += std::max(0.0, latencies_.atomic_global - latencies_.l2);
    return loads || atomic ? ticks(latest + static_cast<double>(lines.size()) - 1) : 0;
}

}  // namespace warpwright::engine
