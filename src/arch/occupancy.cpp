// NVIDIA's rules of allocation as arithmetic on a device model: registers by warp, or by block on old devices, shared
// memory in units, slots of blocks and warps. The least of the four limits decides.
#include "arch/occupancy.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace warpwright::arch {

namespace {

constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
std::uint64_t round_up(std::uint64_t a, std::uint64_t unit) { return ceil_div(a, unit) * unit; }

std::string refuse(const DeviceModel& m, std::uint32_t registers, std::uint64_t shared, std::uint64_t threads,
                   std::uint64_t registers_checked) {
    const auto& l = m.limits;
    if (threads == 0) return "a block has no threads";
    if (threads > l.threads_per_block)
        return fmt::format("{} threads per block, the limit is {}", threads, l.threads_per_block);
    if (registers > l.registers_per_thread)
        return fmt::format("{} registers per thread, the limit is {}", registers, l.registers_per_thread);
    if (registers_checked > l.registers_per_block)
        return fmt::format("{} registers per block, the limit is {}", registers_checked, l.registers_per_block);
    if (shared > l.shared_per_block_optin)
        return fmt::format("{} bytes of shared memory per block, the limit is {}", shared, l.shared_per_block_optin);
    return {};
}

/// The unit in which registers are allocated to a warp. On compute capability 2.x it is twice as large for some numbers
/// of registers per thread, as in NVIDIA's occupancy functions of that time.
std::uint32_t register_unit(const DeviceModel& m, std::uint32_t registers) {
    if (m.compute_capability / 10 == 2)
        for (std::uint32_t wide : {21, 22, 29, 30, 37, 38, 45, 46})
            if (registers == wide) return 2 * m.allocation.register_unit;
    return m.allocation.register_unit;
}

}  // namespace

std::string_view limiter_name(Limiter limiter) {
    switch (limiter) {
        case Limiter::warps:
            return "warps";
        case Limiter::blocks:
            return "blocks";
        case Limiter::registers:
            return "registers";
        case Limiter::shared:
            return "shared memory";
    }
    return {};
}

std::string Occupancy::limiter_text() const {
    if (!refusal.empty()) return refusal;
    std::string out;
    for (std::size_t i = 0; i < limiters.size(); ++i) {
        if (i > 0) out += i + 1 == limiters.size() ? " and " : ", ";
        out += limiter_name(limiters[i]);
    }
    return out;
}

Occupancy occupancy(const DeviceModel& m, std::uint32_t registers_per_thread, std::uint64_t shared,
                    std::uint64_t threads) {
    const auto& l = m.limits;
    const auto& a = m.allocation;
    Occupancy out;

    const bool by_block = a.register_blocks != 0;  // registers are allocated to the block as a whole
    const std::uint64_t warps = ceil_div(threads, l.warp);
    std::uint64_t registers_per_warp = std::uint64_t{registers_per_thread} * l.warp;
    if (!by_block) registers_per_warp = round_up(registers_per_warp, register_unit(m, registers_per_thread));
    const std::uint64_t registers_per_block =
        by_block ? round_up(registers_per_warp * round_up(warps, std::max(1u, a.warp_unit)), a.register_unit)
                 : registers_per_warp * warps;
    // The launch check assumes that every sub-partition gets the same number of the block's warps.
    out.refusal = refuse(m, registers_per_thread, shared, threads,
                         by_block ? registers_per_block : registers_per_warp * round_up(warps, a.sub_partitions));
    if (!out.refusal.empty()) return out;

    out.warps_per_block = std::uint32_t(warps);
    out.registers_per_block = std::uint32_t(registers_per_block);
    out.shared_per_block = std::uint32_t(round_up(shared + a.reserved_shared, a.shared_unit));

    out.blocks_by_warps = std::uint32_t(l.warps_per_sm / warps);
    out.blocks_by_slots = warps > 1 && l.blocks_of_warps != 0 ? l.blocks_of_warps : l.blocks_per_sm;
    // A warp's registers all lie in one sub-partition.
    if (registers_per_block == 0)
        out.blocks_by_registers = kNoLimit;
    else if (by_block)
        out.blocks_by_registers = std::uint32_t(l.registers_per_sm / registers_per_block);
    else
        out.blocks_by_registers =
            std::uint32_t(l.registers_per_sm / a.sub_partitions / registers_per_warp * a.sub_partitions / warps);
    out.blocks_by_shared = out.shared_per_block == 0 ? kNoLimit : l.shared_per_sm / out.shared_per_block;

    out.blocks = std::min({out.blocks_by_warps, out.blocks_by_slots, out.blocks_by_registers, out.blocks_by_shared});
    out.warps = out.blocks * out.warps_per_block;
    out.fraction = double(out.warps) / l.warps_per_sm;
    const std::pair<Limiter, std::uint32_t> limits[] = {{Limiter::warps, out.blocks_by_warps},
                                                        {Limiter::blocks, out.blocks_by_slots},
                                                        {Limiter::registers, out.blocks_by_registers},
                                                        {Limiter::shared, out.blocks_by_shared}};
    for (const auto& [limiter, blocks] : limits)
        if (blocks == out.blocks) out.limiters.push_back(limiter);
    if (out.blocks == 0) out.refusal = fmt::format("a multiprocessor has too few {}", out.limiter_text());
    return out;
}

}  // namespace warpwright::arch
