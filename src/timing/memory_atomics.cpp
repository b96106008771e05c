// Atomics, which take turns in the slices of the second level: those of this multiprocessor, and those that others make
// meanwhile at the same sectors or elsewhere.
#include <algorithm>

#include "timing/memory.hpp"
#include "timing/mixed.hpp"

namespace warpwright::timing {

double MemorySystem::sharing_of(std::uint64_t sector) const { return areas_[area_index(sector)].sharing; }

/// Addresses change slices every 256 bytes; pages of 4 KiB have eight of them, by measurement, and pages side by side
/// have different ones until all slices are in use.
unsigned MemorySystem::slice_of(std::uint64_t sector) const {
    // An allocation begins with a page, whatever its address here.
    const std::size_t area = area_index(sector);
    const std::uint64_t from = area < trace_.areas.size() ? trace_.areas[area].first : 0;
    const std::uint64_t chunk = (sector - from) / kChunk, page = chunk / 16;
    const auto slices = slices_.size(), groups = std::max(1u, slices / unsigned{kOfPage});
    const auto within = static_cast<unsigned>((chunk & 1) | (chunk >> 1 & 6));
    const auto turned = page + mixed(page / groups + (std::uint64_t{area + 1} << 32));
    return (static_cast<unsigned>(turned % groups) * kOfPage + within) % slices;
}

/// What an atomic has changed leaves the second level as what is stored does.
void MemorySystem::write_back(std::uint64_t sector, double begin) {
    bool fresh = false;
    Met& met = meet(sector / p_.fetch_sectors, fresh);
    if (met.written) return;
    met.written = true;
    if (!met.ours) return;
    leave_later(1 - leaves_, 0, area_of(sector).scattered);
    if (!(leaves_ > 0)) return;
    traffic_.dram_writes += leaves_;
    take_memory(leaves_, begin, area_of(sector).scattered);
}

double MemorySystem::atomic(const std::uint32_t* sectors, unsigned count, unsigned lanes, const machine::Op& op,
                            double begin) {
    double done = begin + p_.atomic_latency;
    ++request_;
    // A compare-and-swap reads and writes apart where the slice has just worked at the same 256 bytes, but for lanes at
    // one word.
    const bool one_word = lanes > 1 && count == lanes && sectors[0] == sectors[count - 1],
               apart = op.compares && !one_word;
    const double turn = p_.atomic_turn * (apart ? p_.atomic_compare : 1),
                 first = p_.atomic_turn * (op.out.empty() ? p_.kFirstTurn : 1);
    const auto slices = static_cast<double>(slices_.size());
    for (unsigned k = 0; k < count;) {
        unsigned turns = 1;
        while (k + turns < count && sectors[k + turns] == sectors[k]) ++turns;
        const double there = fetch(sectors[k], begin, false) - p_.l2_latency, sharing = sharing_of(sectors[k]),
                     all = turns * sharing;
        Slices::Slice& slice = slices_[slice_of(sectors[k])];
        const std::uint64_t chunk = sectors[k] / kChunk + 1;
        const bool again = slice.last == chunk;
        slice.last = chunk;
        const double own = ((again ? turn : first) + (turns - 1) * turn) * slices_.unevenness(), work = sharing * own;
        slices_.add_work(slice, work);
        // Multiprocessors that each wait for an answer before they ask again do not come at the same moment: a request
        // waits for what came before it, and those that follow wait for the turns of all. Nobody waits for a reduction:
        // its end is that of all turns.
        const double from = std::max(slice.free, begin);
        slice.free = from + work;
        // Other multiprocessors, which are at other sectors meanwhile, take turns at all slices.
        const double of_others = own * std::max(0.0, alike_ - sharing) / slices;
        others_work_ += of_others;
        others_free_ = std::max(others_free_, begin) + of_others;
        write_back(sectors[k], begin);
        double at = std::max({there, from + (op.out.empty() ? work : own), others_free_});
        if (op.adds_float) {
            double& word = word_free_[sectors[k]];
            const double free = std::max(word, begin);
            word = free + all * p_.atomic_float_turn;
            at = std::max(at, op.out.empty() ? word : free + turns * p_.atomic_float_turn);
        }
        done = std::max(done, at + p_.atomic_latency);
        k += turns;
    }
    return done;
}

double MemorySystem::atomic_cycles() const { return (slices_.most_work() + others_work_) / share_ / alike_; }

}  // namespace warpwright::timing
