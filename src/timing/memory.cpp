// Only the first level is kept line by line. Of what all multiprocessors share, a table of what this one has met, and
// the chance that another one met it before, decide whether an access goes to DRAM.
#include "timing/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/footprint.hpp"
#include "timing/mixed.hpp"

namespace warpwright::timing {

namespace {

constexpr double kSector = 32, kLine = 128;
/// Sectors of memory that come from one place.
constexpr std::uint64_t kPlace = 64;

/// Sectors of a warp's own local memory, apart from those of global memory.
std::uint64_t local_sector(std::uint64_t block, std::uint32_t sector) {
    return std::uint64_t{1} << 62 | (block << 32 & ~(std::uint64_t{3} << 62)) | sector;
}

}  // namespace

MemorySystem::MemorySystem(const Parameters& p, const machine::LaunchTrace& trace, double l1_bytes, double active,
                           double share, unsigned resident, double alike)
    : p_(p),
      trace_(trace),
      l1_(l1_bytes),
      textures_(p.texture_bytes),
      share_(share),
      active_(active),
      alike_(alike > 0 ? std::min(alike, active) : active),
      first_blocks_(std::uint64_t{resident} * trace.stride),
      areas_(trace.areas.size() + 1),
      met_places_(1 << 10),
      slices_(p.l2_slices) {
    const double l2 = std::min(p.l2_alone, p.l2_bytes * p.multiprocessors / active), full = active / p.multiprocessors;
    l2_interval_ = kSector / l2;
    l2_line_ = std::max(1.0, p.l2_line * full);
    write_line_ = std::max(1.0, p.write_line * full);
    write_sector_ = std::max(1.0, p.write_sector * full);
    memory_interval_ = kSector / std::min(l2, p.memory_bytes / active);
    completion_ = p.kCompletion * p.clock / p.memory_channels * active;
    // What all blocks touch of an allocation is at most the whole of it: the rest of what this multiprocessor meets
    // first has been met by others.
    if (!trace.areas.empty()) keep_areas(machine::footprints(trace, share_, p.fetch_sectors));
    const double local = machine::local_footprint(trace) * kSector * resident * active;
    if (p.l2_size > 0 && local > 0) local_lost_ = std::max(0.0, 1 - p.kKept * p.l2_size / local);
    find_sharing();
    find_steps();
}

void MemorySystem::find_area(std::uint64_t sector) const {
    const std::size_t area = trace_.area_of(sector);
    const auto& areas = trace_.areas;
    last_area_ = {area, area > 0 ? areas[area].first : 0,
                  area + 1 < areas.size() ? areas[area + 1].first : ~std::uint64_t{0}};
}

void MemorySystem::keep_areas(const std::vector<machine::Footprint>& footprints) {
    double all = 0, written = 0;  // bytes of lines: the second level keeps them whole
    for (std::size_t a = 0; a < footprints.size(); ++a) {
        const auto& f = footprints[a];
        AreaState& area = areas_[a];
        area.chance = f.chance();
        if (f.touched > 0) area.sharing = std::clamp(alike_ * f.sampled / f.touched, 1.0, std::max(1.0, alike_));
        all += f.lines * kLine, written += f.touched > 0 ? f.lines * kLine * f.written / f.touched : 0;
        if (!f.scattered || !(p_.l2_size > 0)) continue;
        area.scattered = true;
        // What is met again in no order may be gone meanwhile.
        const double gone = std::max(0.0, 1 - p_.kKept * p_.l2_size / (f.lines * kLine));
        area.chance += (1 - area.chance) * gone;
    }
    if (!(p_.l2_size > 0) || !(written > 0)) return;
    const double kept = p_.l2_size * std::min(p_.kWritten, p_.kKept * written / all);
    leaves_ = std::max(0.0, 1 - kept / written);
    find_partly_written();
}

/// Where stores leave sectors incomplete, or write them word by word here and there, and nobody has read them, the rest
/// of each is read.
void MemorySystem::find_partly_written() {
    constexpr double kWhole = 0.9, kRead = 0.1;
    const auto sectors = machine::footprints(trace_, share_, 1);
    for (std::size_t a = 0; a < sectors.size(); ++a) {
        const auto& f = sectors[a];
        AreaState& area = areas_[a];
        if (!(f.written > 0) || f.read > kRead * f.written) continue;
        // Words at drawn places meet in some sectors.
        const bool known = a < trace_.areas.size() && !trace_.areas[a].loose;
        const double draws = f.of_all, set = known ? static_cast<double>(trace_.areas[a].sectors) : f.written,
                     drawn = area.scattered ? std::min(f.written, machine::drawn(set, 1, draws)) : f.written;
        area.fills = area.scattered || f.stored < kWhole * kSector * f.written;
        area.fill_chance = draws > 0 ? std::min(1.0, drawn / draws) : 1;
        area.filled = std::max(0.0, 1 - p_.kPartial * p_.l2_size / (drawn * kSector));
    }
}

MemorySystem::Met& MemorySystem::meet(std::uint64_t key, bool& first) {
    // 0 is no key.
    if (const std::uint64_t of_group = key / kTogether + 1; of_group != last_met_.key)
        last_met_ = {of_group, met_group(of_group)};
    Met& met = met_[last_met_.group][key % kTogether];
    first = !std::exchange(met.met, true);
    return met;
}

std::size_t MemorySystem::met_group(std::uint64_t key) {
    const auto find = [&](std::vector<MetPlace>& places, std::uint64_t k) -> MetPlace& {
        auto at = mixed(k) & (places.size() - 1);
        while (places[at].key && places[at].key != k) at = (at + 1) & (places.size() - 1);
        return places[at];
    };
    if (2 * met_.size() > met_places_.size()) {
        std::vector<MetPlace> larger(met_places_.size() * 2);
        for (const MetPlace& m : met_places_)
            if (m.key) find(larger, m.key) = m;
        met_places_ = std::move(larger);
    }
    MetPlace& place = find(met_places_, key);
    if (place.key == 0) place = {key, met_.size()}, met_.emplace_back();
    return place.group;
}

bool MemorySystem::first_in_device(std::uint64_t sector, Met*& met) {
    bool first = false;
    met = &meet(sector / p_.fetch_sectors, first);
    if (!first || sector >> 62) return false;
    auto& area = area_of(sector);
    area.sum += area.chance;
    if (area.sum < 1) return false;
    area.sum -= 1;
    return met->ours = true;
}

void MemorySystem::take_port(std::uint64_t sector, double begin, double merged) {
    if (begin >= port_) last_line_ = ~std::uint64_t{0};
    port_ = std::max(port_, begin);
    const double interval = l2_interval_ / merged, line = l2_line_ / merged;
    if (sector / 4 != last_line_) {
        last_line_ = sector / 4;
        port_ += std::max(interval, line);
        slack_ = std::max(0.0, line - interval);
        return;
    }
    const double free = std::min(slack_, interval);
    slack_ -= free;
    port_ += interval - free;
}

/// Half of the multiprocessors are near to another partition than the one that keeps a sector: they miss in both.
void MemorySystem::count_l2_miss() { traffic_.l2_lookups += p_.l2_partitions > 1 ? 1.5 : 1; }

/// Takes DRAM for so many sectors; single ones here and there take longer.
void MemorySystem::take_memory(double sectors, double begin, bool scattered) {
    const double cycles = memory_interval_ * sectors * (scattered ? p_.kScattered : 1);
    memory_ = std::max(memory_, begin) + cycles;
    memory_work_ += cycles;
}

void MemorySystem::leave_later(double sectors, double reads, bool scattered) {
    traffic_.later_writes += sectors, traffic_.later_reads += reads;
    later_work_ += memory_interval_ * (sectors + reads) * (scattered ? p_.kScattered : 1);
}

void MemorySystem::leave_local(double begin, bool written) {
    (written ? traffic_.dram_writes : traffic_.dram_reads) += local_lost_;
    take_memory(local_lost_, begin, false);
}

/// From the second level or from memory, after whatever is on that way already.
double MemorySystem::fetch(std::uint64_t sector, double begin, bool in_step, double merged) {
    ++traffic_.l2_reads;
    take_port(sector, begin, merged);
    Met* met = nullptr;
    if (!first_in_device(sector, met)) {
        if (sector >> 62 && local_lost_ > 0) {
            leave_local(begin, false);
            if ((local_sum_ += local_lost_) >= 1) {
                local_sum_ -= 1;
                count_l2_miss();
                return std::max(port_, memory_) + p_.memory_latency;
            }
        }
        if (met->request == request_)  // sectors of one request are looked up together: before any of them has come
            count_l2_miss();
        else
            ++traffic_.l2_lookups, ++traffic_.l2_hits;
        if (in_step && met->there == 0 && !met->written && !(sector >> 62) && area_of(sector).in_step)
            met->there = std::max(port_, memory_) + p_.memory_latency;
        return std::max(port_ + p_.l2_latency, met->there);
    }
    count_l2_miss();
    met->request = request_;
    traffic_.dram_reads += p_.fetch_sectors;
    take_memory(p_.fetch_sectors, begin, area_of(sector).scattered);
    return met->there = std::max(port_, memory_) + p_.memory_latency;
}

std::span<const std::uint32_t> MemorySystem::moved(const std::uint32_t* sectors, unsigned count) {
    if (p_.line_sectors == 1) return {sectors, count};
    whole_lines_.clear();
    for (unsigned k = 0; k < count; ++k) {
        const auto first = sectors[k] - sectors[k] % p_.line_sectors;
        if (!whole_lines_.empty() && whole_lines_.back() >= first) continue;
        for (std::uint32_t s = 0; s < p_.line_sectors; ++s) whole_lines_.push_back(first + s);
    }
    return whole_lines_;
}

double MemorySystem::load(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin,
                          Way way) {
    const bool kept = (way == Way::first && p_.loads_in_l1) || local || way == Way::texture;
    FirstLevel& first = way == Way::texture && p_.texture_bytes > 0 ? textures_ : l1_;
    double done = begin + p_.l1_latency, from_memory = 0;
    // A request waits for the last of its lines: the more places of memory it asks, the longer.
    unsigned places = 0;
    std::uint64_t last_place = ~std::uint64_t{0}, line = last_place;
    ++request_;
    const bool as_asked = local || way == Way::texture;
    for (const std::uint32_t number : as_asked ? std::span(sectors, count) : moved(sectors, count)) {
        const auto sector = local ? local_sector(block, number) : number;
        if (kept) {
            ++traffic_.l1_lookups;
            if (const double there = first.find(sector, begin); there >= 0) {
                ++traffic_.l1_hits;
                done = std::max(done, there);
                continue;
            }
        }
        double there = fetch(sector, begin, block < first_blocks_);
        if (!kept && way == Way::second && sector / 4 != line) {
            // All multiprocessors that ask the same slices wait for their turns, as with atomics.
            line = sector / 4;
            Slices::Slice& slice = slices_[slice_of(sector)];
            const double turn = kLineTurn * slices_.unevenness(), from = std::max(slice.free, begin);
            there = std::max(there, from + turn + p_.l2_latency);
            slice.free = from + turn * sharing_of(sector);
            slices_.add_work(slice, turn * sharing_of(sector));
        }
        if (kept) first.fill(sector, there);
        done = std::max(done, there);
        if (there - begin < p_.memory_latency) continue;
        from_memory = std::max(from_memory, there);
        if (sector / kPlace != last_place) last_place = sector / kPlace, ++places;
    }
    return places > 1 ? std::max(done, from_memory + p_.memory_apart * std::log2(places)) : done;
}

double MemorySystem::bulk_load(const std::uint32_t* sectors, unsigned count, std::uint64_t block, double begin) {
    double done = begin;
    ++request_;
    for (unsigned k = 0; k < count; ++k) {
        const bool in_step = block < first_blocks_;
        done = std::max(done, fetch(sectors[k], begin, in_step, merged(sectors[k])));
    }
    return done;
}

void MemorySystem::store(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin,
                         double bytes) {
    const bool partial = bytes < count * kSector;
    ++request_;
    std::uint64_t line = ~std::uint64_t{0};
    for (const std::uint32_t number : local ? std::span(sectors, count) : moved(sectors, count)) {
        const auto sector = local ? local_sector(block, number) : number;
        ++traffic_.l2_writes;
        traffic_.l2_lookups += p_.l2_lookups_of_write, traffic_.l2_hits += p_.l2_lookups_of_write;
        port_ = std::max(port_, begin) + write_sector_ + (sector / 4 != line ? write_line_ : 0);
        line = sector / 4;
        if (local) {  // the first level keeps it, and the second one has it too
            l1_.fill(sector, begin);
            leave_local(begin, true);
            continue;
        }
        const AreaState& area = area_of(sector);
        if (partial && area.fills) {
            fill_rest(sector, begin);
            continue;
        }
        Met* met = nullptr;
        const bool unread = first_in_device(sector, met), unwritten = !met->written;
        met->written = true;
        if (!unwritten || !met->ours) continue;
        // Of a sector that is written in part, and that nobody has read, the rest is read before it leaves.
        const bool rest = partial && unread;
        const double out = leaves_ * p_.fetch_sectors;
        traffic_.dram_writes += out, traffic_.dram_reads += rest ? out : 0;
        if (out > 0) take_memory(out * (rest ? 2 : 1), begin, area.scattered);
        const double stays = (1 - leaves_) * p_.fetch_sectors;
        leave_later(stays, rest ? stays : 0, area.scattered);
    }
}

void MemorySystem::fill_rest(std::uint64_t sector, double begin) {
    constexpr std::uint64_t kSingle = std::uint64_t{1} << 61;  // apart from the sectors that come together
    bool fresh = false;
    meet(kSingle | sector, fresh);
    AreaState& area = area_of(sector);
    if (!fresh || (area.fill_sum += area.fill_chance) < 1) return;
    area.fill_sum -= 1;
    const double read = std::max(area.filled, leaves_), written = area.scattered ? read : leaves_;
    traffic_.dram_reads += read, traffic_.dram_writes += written;
    leave_later(1 - written, 1 - read, area.scattered);
    if (!area.scattered) return take_memory(read + written, begin, false);
    const double cycles = read * std::max(completion_, 2 * memory_interval_ * p_.kScattered);
    memory_ = std::max(memory_, begin) + cycles, memory_work_ += cycles;
}

double MemorySystem::memory_cycles() const { return memory_work_ / share_ / active_; }

double MemorySystem::memory_cycles_in_a_row() const { return (memory_work_ + later_work_) / share_ / active_; }

}  // namespace warpwright::timing
