// Converts what generated code and runtime counted, by block and by site, to the counts that are reported.
#include <algorithm>
#include <map>

#include "engine/run/engine.hpp"
#include "engine/shared/executor.hpp"
#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

namespace {

using record::Count;
using record::Counts;

Count mix_of(const simt::Details& i) {
    switch (simt::facts(i.op).cls) {
        case simt::Class::arithmetic: {
            const auto t = i.types.empty() ? simt::Type::none : i.types.back();
            if (simt::is_half(t)) return Count::mix_fp16;
            if (t == simt::Type::f64) return Count::mix_fp64;
            return simt::is_float(t) ? Count::mix_fp32 : Count::mix_integer;
        }
        case simt::Class::integer:
            return Count::mix_integer;
        case simt::Class::special:
            return Count::mix_special;
        case simt::Class::convert:
            return Count::mix_convert;
        case simt::Class::tensor:
            return Count::mix_tensor;
        case simt::Class::memory:
            return Count::mix_memory;
        case simt::Class::warp:
            return Count::mix_warp;
        case simt::Class::barrier:
        case simt::Class::control:
            return Count::mix_control;
        case simt::Class::move:
            return Count::mix_move;
    }
    return Count::mix_move;
}

/// Floating-point operations per lane: those of the opcode (a fused multiply-add is two), for each element of a
/// packed type.
unsigned flops_of(const simt::Details& i) {
    const auto t = i.types.empty() ? simt::Type::none : i.types[0];
    if (!simt::is_float(t)) return 0;
    return simt::facts(i.op).flops * simt::elements(t);
}

/// The counts of an access by what it does.
struct AccessCounts {
    Count requests, passes, conflicts;
};

AccessCounts shared_counts(SiteInfo::Kind kind) {
    if (kind == SiteInfo::Kind::load)
        return {Count::shared_load_requests, Count::shared_load_wavefronts, Count::shared_load_bank_conflicts};
    if (kind == SiteInfo::Kind::atomic)
        return {Count::shared_atomic_requests, Count::shared_atomic_wavefronts, Count::shared_atomic_bank_conflicts};
    return {Count::shared_store_requests, Count::shared_store_wavefronts, Count::shared_store_bank_conflicts};
}

std::pair<Count, Count> global_counts(SiteInfo::Kind kind) {
    if (kind == SiteInfo::Kind::load) return {Count::global_load_requests, Count::global_load_sectors};
    if (kind == SiteInfo::Kind::atomic) return {Count::global_atomic_requests, Count::global_atomic_sectors};
    return {Count::global_store_requests, Count::global_store_sectors};
}

/// A kernel's counts as they are put together: what ran of each block of its code, times what the block contains.
class CountSum {
public:
    CountSum(const KernelCode& code, std::span<const std::uint64_t> counters, bool per_line)
        : code_(code), counters_(counters), per_line_(per_line) {}

    void add_instructions() {
        for (const auto& i : code_.insts) add_instruction(i);
    }
    void add_branches();
    void add_site(const SiteInfo& info, const Site& site, const SiteSpaces& spaces);
    record::KernelCounts take();

private:
    void add(const simt::Details* inst, Count which, std::uint64_t n) {
        total_[which] += n;
        if (per_line_ && inst && inst->source.line) lines_[{inst->source.file, inst->source.line}][which] += n;
    }
    void add_instruction(const CountedInst& inst);
    void add_shared(const SiteInfo& s, std::uint64_t requests, std::uint64_t passes, std::uint64_t conflicts,
                    std::uint64_t bytes);
    void add_local(const SiteInfo& s, std::uint64_t requests, std::uint64_t sectors);

    // Of a block of the code: how often all lanes ran it, how often a part of them; the lanes of both.
    std::uint64_t full(std::uint32_t b) const { return counters_[b * kBlockCounters]; }
    std::uint64_t part(std::uint32_t b) const { return counters_[b * kBlockCounters + 1]; }
    std::uint64_t threads(std::uint32_t b) const {
        return full(b) * code_.options.block.lanes + counters_[b * kBlockCounters + 2];
    }

    const KernelCode& code_;
    std::span<const std::uint64_t> counters_;
    bool per_line_;
    Counts total_;
    record::Joined joined_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Counts> lines_;  ///< by file and line
};

void CountSum::add_instruction(const CountedInst& i) {
    const auto n = full(i.block) + part(i.block);
    if (n == 0) return;
    add(i.ptx, Count::instructions, n);
    add(i.ptx, Count::thread_instructions, threads(i.block));
    add(i.ptx, mix_of(*i.ptx), n);
    if (i.joined) {
        joined_.instructions += n;
        if (mix_of(*i.ptx) == Count::mix_integer) joined_.integer += n;
    }
    if (i.is_barrier) add(i.ptx, Count::barriers, n);
    if (const auto f = flops_of(*i.ptx)) {
        const auto t = i.ptx->types[0];
        add(i.ptx, Count::flops, f * threads(i.block));
        add(i.ptx,
            simt::is_half(t)       ? Count::flops_f16
            : t == simt::Type::f64 ? Count::flops_f64
                                   : Count::flops_f32,
            f * threads(i.block));
    }
    if (i.matrix_flops > 0) {
        add(i.ptx, Count::flops, i.matrix_flops * n);
        add(i.ptx, Count::flops_tensor, i.matrix_flops * n);
    }
}

void CountSum::add_branches() {
    for (std::uint32_t b = 0; b < code_.blocks; ++b) {
        if (!code_.block_end[b]) continue;
        add(code_.block_end[b], Count::branches, full(b) + part(b));
        add(code_.block_end[b], Count::divergent_branches, counters_[b * kBlockCounters + 3]);
    }
}

void CountSum::add_shared(const SiteInfo& s, std::uint64_t requests, std::uint64_t passes, std::uint64_t conflicts,
                          std::uint64_t bytes) {
    if (requests == 0 && passes == 0) return;
    const auto to = shared_counts(s.kind);
    add(s.ptx, to.requests, requests);
    add(s.ptx, to.passes, passes);
    add(s.ptx, to.conflicts, conflicts);
    add(s.ptx, Count::shared_bytes_requested, bytes);
}

void CountSum::add_local(const SiteInfo& s, std::uint64_t requests, std::uint64_t sectors) {
    const bool load = s.kind == SiteInfo::Kind::load;
    add(s.ptx, load ? Count::local_load_requests : Count::local_store_requests, requests);
    add(s.ptx, load ? Count::local_load_sectors : Count::local_store_sectors, sectors);
}

void CountSum::add_site(const SiteInfo& s, const Site& site, const SiteSpaces& spaces) {
    if (!s.counted) return;
    const auto f = full(s.block), p = part(s.block);
    auto passes = site.passes, excess = site.excess;
    if (s.full_passes >= 0) {
        const auto regular = f - site.irregular_full;
        passes += regular * static_cast<std::uint64_t>(s.full_passes);
        excess += regular * static_cast<std::uint64_t>(s.full_excess);
    }
    if (s.partial_passes >= 0) {
        const auto regular = p - site.irregular_partial;
        passes += regular * static_cast<std::uint64_t>(s.partial_passes);
        excess += regular * static_cast<std::uint64_t>(s.partial_excess);
    }
    for (const auto& by : s.by_place)
        for (std::size_t k = 0; k < by.cost.size(); ++k) passes += counters_[by.first + k] * by.cost[k];
    const auto requests = (f + p) * s.requests - spaces.not_global;
    const std::uint64_t bytes = std::uint64_t{s.bytes} * s.count * s.requests;  // of a lane
    if (s.joined) joined_.shared_requests += requests, joined_.shared_wavefronts += passes;
    switch (s.space) {
        case simt::Space::shared:
            add_shared(s, requests, passes, excess, threads(s.block) * bytes);
            break;
        case simt::Space::local:
            add_local(s, requests, passes);
            break;
        case simt::Space::constant:
            break;  // served by the constant cache: no request to L1
        default: {
            const auto [global_requests, global_sectors] = global_counts(s.kind);
            add(s.ptx, global_requests, requests);
            // A device that moves whole lines moves all of their sectors. Atomics are done in the second level.
            const bool lines = s.kind != SiteInfo::Kind::atomic;
            add(s.ptx, global_sectors, lines ? passes * (code_.options.transaction_bytes / 32) : passes);
            add(s.ptx, Count::global_bytes_requested,
                (threads(s.block) - spaces.lanes_shared - spaces.lanes_local) * bytes);
            if (site.linked) {
                const bool load = s.kind == SiteInfo::Kind::load;
                add(s.ptx, load ? Count::peer_load_sectors : Count::peer_store_sectors, site.linked);
            }
            add_shared(s, spaces.shared_requests, spaces.shared_passes, spaces.shared_excess,
                       spaces.lanes_shared * bytes);
            if (spaces.local_requests) add_local(s, spaces.local_requests, spaces.local_sectors);
        }
    }
}

record::KernelCounts CountSum::take() {
    record::KernelCounts out;
    out.total = total_;
    out.joined = joined_;
    for (const auto& [where, counts] : lines_) {
        record::LineCounts l;
        l.file = where.first < code_.module->files.size() ? code_.module->files[where.first] : "";
        l.line = where.second;
        l.counts = counts;
        out.lines.push_back(std::move(l));
    }
    std::sort(out.lines.begin(), out.lines.end(),
              [](const auto& a, const auto& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
    return out;
}

}  // namespace

record::KernelCounts assemble_counts(const KernelCode& code, std::span<const std::uint64_t> counters,
                                     std::span<const Site> sites, std::span<const SiteSpaces> spaces, bool per_line) {
    CountSum sum(code, counters, per_line);
    sum.add_instructions();
    sum.add_branches();
    for (std::size_t k = 0; k < code.sites.size(); ++k) sum.add_site(code.sites[k], sites[k], spaces[k]);
    return sum.take();
}

}  // namespace warpwright::engine
