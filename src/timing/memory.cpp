#include "timing/memory.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace warpwright::timing {

namespace {

constexpr double kSector = 32;

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

/// Sectors of a warp's own local memory, apart from those of global memory.
std::uint64_t local_sector(std::uint64_t block, std::uint32_t sector) {
    return std::uint64_t{1} << 62 | (block << 32 & ~(std::uint64_t{3} << 62)) | sector;
}

std::size_t area_of(const machine::LaunchTrace& trace, std::uint64_t sector) {
    const auto after = std::upper_bound(trace.areas.begin(), trace.areas.end(), sector,
                                        [](std::uint64_t s, const machine::Area& a) { return s < a.first; });
    return after == trace.areas.begin() ? 0 : static_cast<std::size_t>(after - trace.areas.begin() - 1);
}

}  // namespace

FirstLevel::FirstLevel(double bytes) {
    sets_ = static_cast<std::uint64_t>(std::max(0.0, bytes) / (128 * kWays));
    lines_.resize(sets_ * kWays);
}

FirstLevel::Line* FirstLevel::line(std::uint64_t tag, bool make, double now) {
    if (sets_ == 0) return nullptr;
    Line* const set = &lines_[mixed(tag) % sets_ * kWays];
    Line* oldest = set;
    for (unsigned w = 0; w < kWays; ++w) {
        if (set[w].tag == tag) return set[w].used = now, &set[w];
        if (set[w].used < oldest->used) oldest = &set[w];
    }
    if (!make) return nullptr;
    *oldest = {};
    oldest->tag = tag;
    oldest->used = now;
    return oldest;
}

double FirstLevel::find(std::uint64_t sector, double now) {
    const Line* l = line(sector / 4, false, now);
    return l ? l->ready[sector % 4] : -1;
}

void FirstLevel::fill(std::uint64_t sector, double at) {
    if (Line* l = line(sector / 4, true, at)) l->ready[sector % 4] = at;
}

void FirstLevel::drop(std::uint64_t sector) {
    if (Line* l = line(sector / 4, false, 0)) l->ready[sector % 4] = -1;
}

MemorySystem::MemorySystem(const Parameters& p, const machine::LaunchTrace& trace, double l1_bytes, double active,
                           double share)
    : p_(p), trace_(trace), l1_(l1_bytes), share_(share), areas_(trace.areas.size() + 1), met_(1 << 12) {
    const double l2 = std::min(p.l2_most, p.l2_bytes * p.multiprocessors / active);
    l2_interval_ = kSector / l2;
    write_interval_ = kSector / std::min(p.l2_most / 2, p.l2_write_bytes * p.multiprocessors / active);
    memory_interval_ = kSector / std::min(l2, p.memory_bytes / active);
    // What all blocks touch of an allocation is at most the whole of it: the rest of what this multiprocessor meets
    // first has been met by others.
    std::vector<std::unordered_set<std::uint32_t>> touched(trace.areas.size());
    for (const auto& block : trace.sample)
        for (const auto& warp : block.warps)
            for (const auto& e : warp.events) {
                if (!(e.what & machine::Event::kAccess) || (e.what & machine::Event::kLocal)) continue;
                for (unsigned k = 0; k < e.count; ++k)
                    if (const auto s = block.sectors[e.first + k]; !trace.areas.empty())
                        touched[area_of(trace, s)].insert(s / p.fetch_sectors);
            }
    double all = 0;
    for (std::size_t a = 0; a < touched.size(); ++a) {
        if (touched[a].empty()) continue;
        const double whole = std::max(1.0, static_cast<double>(touched[a].size()) / share_);
        const double unique = std::min(whole, std::ceil(static_cast<double>(trace.areas[a].sectors) / p.fetch_sectors));
        areas_[a].chance = unique / whole;
        all += unique * p.fetch_sectors;
    }
    if (p.l2_size > 0 && all * kSector > 0.8 * p.l2_size)
        for (auto& a : areas_) a.many_times = true;
}

MemorySystem::Met& MemorySystem::meet(std::uint64_t key, bool& first) {
    if (2 * met_count_ > met_.size()) {
        std::vector<Met> larger(met_.size() * 2);
        for (const Met& m : met_) {
            if (!m.key) continue;
            auto at = mixed(m.key) % larger.size();
            while (larger[at].key) at = (at + 1) % larger.size();
            larger[at] = m;
        }
        met_ = std::move(larger);
    }
    auto at = mixed(key + 1) % met_.size();
    while (met_[at].key && met_[at].key != key + 1) at = (at + 1) % met_.size();
    first = met_[at].key == 0;
    if (first) {
        met_[at].key = key + 1;
        ++met_count_;
    }
    return met_[at];
}

bool MemorySystem::first_in_device(std::uint64_t sector, double** there) {
    bool first = false;
    Met& met = meet(sector / p_.fetch_sectors, first);
    *there = &met.there;
    if (!first || sector >> 62) return false;
    auto& area = areas_[area_of(trace_, sector)];
    area.sum += area.chance;
    if (area.sum < 1) return false;
    area.sum -= 1;
    return true;
}

/// From the second level or from memory, after whatever is on that way already.
double MemorySystem::fetch(std::uint64_t sector, double begin) {
    ++traffic_.l2_reads;
    port_ = std::max(port_, begin) + l2_interval_;
    double* there = nullptr;
    if (!first_in_device(sector, &there)) {
        ++traffic_.l2_hits;
        return std::max(port_ + p_.l2_latency, *there);
    }
    traffic_.dram_reads += p_.fetch_sectors;
    memory_ = std::max(memory_, begin) + memory_interval_ * p_.fetch_sectors;
    return *there = std::max(port_, memory_) + p_.memory_latency;
}

double MemorySystem::load(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin) {
    double done = begin + p_.l1_latency;
    for (unsigned k = 0; k < count; ++k) {
        const auto sector = local ? local_sector(block, sectors[k]) : sectors[k];
        if (p_.loads_in_l1 || local) {
            ++traffic_.l1_lookups;
            if (const double there = l1_.find(sector, begin); there >= 0) {
                ++traffic_.l1_hits;
                done = std::max(done, there);
                continue;
            }
        }
        const double there = fetch(sector, begin);
        if (p_.loads_in_l1 || local) l1_.fill(sector, there);
        done = std::max(done, there);
    }
    return done;
}

void MemorySystem::store(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin,
                         double bytes) {
    const double each = std::max(l2_interval_, write_interval_ * std::min(1.0, bytes / count / kSector));
    for (unsigned k = 0; k < count; ++k) {
        const auto sector = local ? local_sector(block, sectors[k]) : sectors[k];
        if (local) {
            l1_.fill(sector, begin);
            continue;
        }
        ++traffic_.l2_writes;
        port_ = std::max(port_, begin) + each;
        double* there = nullptr;
        if (first_in_device(sector, &there) && areas_[area_of(trace_, sector)].many_times) {
            traffic_.dram_writes += p_.fetch_sectors;
            memory_ = std::max(memory_, begin) + memory_interval_ * p_.fetch_sectors;
        }
    }
}

double MemorySystem::atomic(const std::uint32_t* sectors, unsigned count, unsigned lanes, double begin) {
    double done = begin + p_.atomic_latency;
    for (unsigned k = 0; k < count; ++k) {
        atomics_[sectors[k]] += static_cast<double>(lanes) / count;
        const double there = fetch(sectors[k], begin) - p_.l2_latency + p_.atomic_latency;
        done = std::max(done, there);
    }
    return done;
}

double MemorySystem::atomic_cycles() const {
    double most = 0;
    for (const auto& [sector, n] : atomics_) most = std::max(most, n);
    return most / share_ / p_.atomics;
}

}  // namespace warpwright::timing
