// From what generated code and runtime counted, block by block and site by site, to the counts people read.
#include <algorithm>
#include <map>

#include "engine/run/engine.hpp"
#include "engine/run/executor.hpp"
#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

namespace {

using record::Count;
using record::Counts;

bool half_type(ptx::Type t) {
    return t == ptx::Type::f16 || t == ptx::Type::f16x2 || t == ptx::Type::bf16 || t == ptx::Type::bf16x2;
}

Count mix_of(const ptx::Instruction& i) {
    switch (ptx::facts(i.op).cls) {
        case ptx::Class::arithmetic: {
            const auto t = i.types.empty() ? ptx::Type::none : i.types.back();
            if (half_type(t)) return Count::mix_fp16;
            if (t == ptx::Type::f64) return Count::mix_fp64;
            return ptx::is_float(t) ? Count::mix_fp32 : Count::mix_integer;
        }
        case ptx::Class::integer:
            return Count::mix_integer;
        case ptx::Class::special:
            return Count::mix_special;
        case ptx::Class::convert:
            return Count::mix_convert;
        case ptx::Class::tensor:
            return Count::mix_tensor;
        case ptx::Class::memory:
            return Count::mix_memory;
        case ptx::Class::warp:
            return Count::mix_warp;
        case ptx::Class::barrier:
        case ptx::Class::control:
            return Count::mix_control;
        case ptx::Class::move:
            return Count::mix_move;
    }
    return Count::mix_move;
}

/// Floating-point operations per lane: those of the opcode (a fused multiply-add is two), twice that for packed types.
unsigned flops_of(const ptx::Instruction& i) {
    const auto t = i.types.empty() ? ptx::Type::none : i.types[0];
    if (!ptx::is_float(t)) return 0;
    const unsigned n = ptx::facts(i.op).flops;
    return t == ptx::Type::f16x2 || t == ptx::Type::bf16x2 || t == ptx::Type::f32x2 ? 2 * n : n;
}

}  // namespace

record::KernelCounts assemble_counts(const KernelCode& code, std::span<const std::uint64_t> counters,
                                     std::span<const Site> sites, std::span<const SiteSpaces> spaces, bool per_line) {
    record::KernelCounts out;
    const std::uint64_t lanes = code.options.block.lanes;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Counts> lines;
    auto add = [&](const ptx::Instruction* inst, Count which, std::uint64_t n) {
        out.total[which] += n;
        if (per_line && inst && inst->source.line) lines[{inst->source.file, inst->source.line}][which] += n;
    };
    auto full = [&](std::uint32_t b) { return counters[b * kBlockCounters]; };
    auto part = [&](std::uint32_t b) { return counters[b * kBlockCounters + 1]; };
    auto threads = [&](std::uint32_t b) { return full(b) * lanes + counters[b * kBlockCounters + 2]; };
    for (const auto& i : code.insts) {
        const auto n = full(i.block) + part(i.block);
        if (n == 0) continue;
        add(i.ptx, Count::instructions, n);
        add(i.ptx, Count::thread_instructions, threads(i.block));
        add(i.ptx, mix_of(*i.ptx), n);
        if (i.is_barrier) add(i.ptx, Count::barriers, n);
        if (const auto f = flops_of(*i.ptx)) {
            const auto t = i.ptx->types[0];
            add(i.ptx, Count::flops, f * threads(i.block));
            add(i.ptx,
                half_type(t)          ? Count::flops_f16
                : t == ptx::Type::f64 ? Count::flops_f64
                                      : Count::flops_f32,
                f * threads(i.block));
        }
        if (i.matrix_flops > 0) {
            add(i.ptx, Count::flops, i.matrix_flops * n);
            add(i.ptx, Count::flops_tensor, i.matrix_flops * n);
        }
    }
    for (std::uint32_t b = 0; b < code.blocks; ++b) {
        if (!code.block_end[b]) continue;
        add(code.block_end[b], Count::branches, full(b) + part(b));
        add(code.block_end[b], Count::divergent_branches, counters[b * kBlockCounters + 3]);
    }
    for (std::size_t k = 0; k < code.sites.size(); ++k) {
        const auto& s = code.sites[k];
        if (!s.counted) continue;
        const auto& sp = spaces[k];
        const auto f = full(s.block), p = part(s.block);
        auto passes = sites[k].passes, excess = sites[k].excess;
        if (s.full_passes >= 0)
            passes += f * static_cast<std::uint64_t>(s.full_passes),
                excess += f * static_cast<std::uint64_t>(s.full_excess);
        if (s.partial_passes >= 0)
            passes += p * static_cast<std::uint64_t>(s.partial_passes),
                excess += p * static_cast<std::uint64_t>(s.partial_excess);
        const auto requests = (f + p) * s.requests - sp.not_global;
        const std::uint64_t bytes = std::uint64_t{s.bytes} * s.count * s.requests;
        using Kind = SiteInfo::Kind;
        const bool load = s.kind == Kind::load, atomic = s.kind == Kind::atomic;
        auto shared = [&](std::uint64_t r, std::uint64_t w, std::uint64_t x, std::uint64_t l) {
            if (r == 0 && w == 0) return;
            add(s.ptx,
                load     ? Count::shared_load_requests
                : atomic ? Count::shared_atomic_requests
                         : Count::shared_store_requests,
                r);
            add(s.ptx,
                load     ? Count::shared_load_wavefronts
                : atomic ? Count::shared_atomic_wavefronts
                         : Count::shared_store_wavefronts,
                w);
            add(s.ptx,
                load     ? Count::shared_load_bank_conflicts
                : atomic ? Count::shared_atomic_bank_conflicts
                         : Count::shared_store_bank_conflicts,
                x);
            add(s.ptx, Count::shared_bytes_requested, l * bytes);
        };
        auto local = [&](std::uint64_t r, std::uint64_t w) {
            add(s.ptx, load ? Count::local_load_requests : Count::local_store_requests, r);
            add(s.ptx, load ? Count::local_load_sectors : Count::local_store_sectors, w);
        };
        switch (s.space) {
            case ptx::Space::shared:
                shared(requests, passes, excess, threads(s.block));
                break;
            case ptx::Space::local:
                local(requests, passes);
                break;
            case ptx::Space::constant:
                break;  // served by the constant cache: no request to L1
            default:
                add(s.ptx,
                    load     ? Count::global_load_requests
                    : atomic ? Count::global_atomic_requests
                             : Count::global_store_requests,
                    requests);
                add(s.ptx,
                    load     ? Count::global_load_sectors
                    : atomic ? Count::global_atomic_sectors
                             : Count::global_store_sectors,
                    passes);
                add(s.ptx, Count::global_bytes_requested,
                    (threads(s.block) - sp.lanes_shared - sp.lanes_local) * bytes);
                shared(sp.shared_requests, sp.shared_passes, sp.shared_excess, sp.lanes_shared);
                if (sp.local_requests) local(sp.local_requests, sp.local_sectors);
        }
    }
    for (const auto& [where, counts] : lines) {
        record::LineCounts l;
        l.file = where.first < code.module->files.size() ? code.module->files[where.first] : "";
        l.line = where.second;
        l.counts = counts;
        out.lines.push_back(std::move(l));
    }
    std::sort(out.lines.begin(), out.lines.end(),
              [](const auto& a, const auto& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
    return out;
}

}  // namespace warpwright::engine
