// A figure that no model gives follows from others or is an H200's, with the reason beside it. The table [timing]
// replaces such figures before those that depend on them are computed.
#include "timing/parameters.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace warpwright::timing {

namespace {

using machine::Pipe;

/// Seconds of any launch, beside its time in a graph: what durations of small launches on an H200 have beyond their
/// warps' cycles.
constexpr double kStart = 0.9e-6, kGraph = 0.5e-6;

double known(double figure, double otherwise) { return figure > 0 ? figure : otherwise; }

/// A texture unit filters one fetch per cycle, so that four lanes take a cycle of four of them (measured: 8 cycles for
/// a warp of an H200, whose multiprocessors have four). Where nobody has measured its latency, it is as much longer
/// than that of the first level as an H200's.
void textures(Parameters& p, const arch::DeviceModel& m) {
    constexpr double kLanesOfTurn = 4, kFetch = 57, kFilter = 28;
    // Until compute capability 5.0 textures had caches apart from the loads' (NVIDIA's whitepapers of GF100, GK110 and
    // GM204; 12 KiB for Fermi in Mei and Chu 2017, 48 KiB in GK110's).
    constexpr double kFermi = 12 * 1024, kKepler = 48 * 1024;
    p.texture_turn = kLanesOfTurn / known(m.units.texture, kLanesOfTurn);
    p.texture_latency = known(m.latency.texture, p.l1_latency + kFetch);
    p.filter_latency = known(m.latency.texture_filter, p.texture_latency + kFilter);
    if (m.compute_capability > 0 && m.compute_capability < 50)
        p.texture_bytes = m.compute_capability < 30 ? kFermi : kKepler;
}

/// What a model's table [timing] does not give: what its row has (an H200's), or what follows from other figures.
Parameters defaults(const arch::DeviceModel& m) {
    Parameters p;
    p.schedulers = std::max(1u, m.sm.schedulers);
    p.issue_interval = 1 / known(m.sm.issue_per_scheduler, 1);
    p.multiprocessors = std::max(1u, m.sm.multiprocessors);
    p.clock = known(m.clocks.bound, 1e9);
    const double lanes = std::max(1u, m.limits.warp), each = lanes * p.schedulers;
    const auto units = m.unit_rates();
    const double arithmetic = known(m.latency.arithmetic, 6);
    const auto set = [&](Pipe pipe, double rate, double latency) {
        p.pipes[static_cast<std::size_t>(pipe)] = {rate > 0 ? each / rate : 16, latency};
    };
    const double fp32 = known(units.fp32, 128), integer = known(units.integer, fp32 / 2);
    set(Pipe::none, each, 1);
    set(Pipe::alu, known(units.logic, integer), arithmetic);
    set(Pipe::add, integer, arithmetic);
    set(Pipe::fp32, fp32, arithmetic);
    set(Pipe::multiply, known(units.integer_multiply, integer / 2), arithmetic + (m.compute_capability >= 70 ? 0 : 2));
    set(Pipe::half, known(units.fp16, 2 * fp32) / 2, arithmetic + 1);
    set(Pipe::fp64, known(units.fp64, fp32 / 24), m.compute_capability >= 70 ? 2 * arithmetic : arithmetic + 2);
    set(Pipe::special, known(units.special, 16), 4.5 * arithmetic);
    set(Pipe::convert, known(units.convert, 32) / 2, 3 * arithmetic);
    set(Pipe::memory, each, arithmetic);
    set(Pipe::exchange, known(units.shuffle, 32), known(m.latency.shared, 24));
    set(Pipe::tensor, each / 4, m.compute_capability >= 90 ? 25 : 33);
    set(Pipe::branch, each / 2, 2);
    set(Pipe::texture, each, arithmetic);
    // Since compute capability 9.0 only products of warpgroups reach the data sheet's rate.
    if (m.compute_capability >= 90) p.product_of_warp = 1.54, p.doubles_of_warp = 2;
    p.special_interval = each / known(units.special, 16);
    p.adds_in_multiplier = m.compute_capability >= 70;

    p.shared_latency = known(m.latency.shared, 30);
    p.l1_latency = known(m.latency.l1, p.shared_latency + 10);
    p.l2_latency = known(m.latency.l2, 220);
    p.memory_latency = known(m.latency.memory, 2.2 * p.l2_latency);
    p.atomic_latency = known(m.latency.atomic_global, 1.3 * p.l2_latency);
    if (m.ceilings.atomic_same > 0) p.atomic_turn = p.clock / m.ceilings.atomic_same;
    if (m.compute_capability < 70) {
        // Scoreboards, not the assembler, wait for predicates and branches there; nobody has measured more.
        p.late_other_pipe = p.late_guard = 0;
        p.branch = 1, p.branch_taken = 6;
        p.access_spacing = 1;
        p.register_latency = p.pipes[static_cast<std::size_t>(Pipe::exchange)].latency;
    }
    p.constant_latency = known(m.latency.constant, p.shared_latency);
    p.loads_constants = m.compute_capability >= 90;
    p.wavefronts = known(m.wavefront_rate(), 1);
    p.l1_bytes = known(m.l1_bytes_per_cycle(), known(double(m.shared.banks) * m.shared.bank_width, 128));
    textures(p, m);
    p.request_interval = lanes / known(m.units.load_store, 32);
    p.loads_in_l1 = m.coalescing == arch::Coalescing::sectors || m.coalescing == arch::Coalescing::l1_lines ||
                    m.coalescing == arch::Coalescing::lines_64;
    p.line_sectors = std::max(1u, arch::transaction_bytes(m.coalescing) / 32);
    p.l2_size = static_cast<double>(m.cache.l2);
    p.l2_bytes = known(m.l2_bandwidth(), 2.5 * m.memory.bandwidth) / p.clock / p.multiprocessors;
    // Reads of lines in part, and packets of writes (a head and four sectors), as an H200 has them to its bandwidth.
    p.l2_line = p.l2_line * 32 / p.l2_bytes;
    p.write_sector = p.write_sector * 32 / p.l2_bytes;
    p.write_line = p.write_line * 32 / p.l2_bytes;
    p.l2_partitions = std::max(1u, m.cache.l2_partitions);
    if (p.l2_partitions > 1) {
        // A write is looked up where it enters and where it is kept, as counters of an H200 have it.
        p.l2_lookups_of_write = 1.75;
        p.l2_lookups_of_launch = 1800;
    }
    p.l2_slices = std::max(8u, m.memory.bus / 64);
    p.memory_channels = std::max(1.0, m.memory.bus / 32.0);
    p.l2_alone = std::max(p.l2_alone, p.l2_bytes);
    // What an empty kernel takes in a graph is a part of it.
    p.start_seconds = known(m.launches.start, kStart + known(m.launches.graph, kGraph));
    return p;
}

/// What follows from figures that the table may give.
void follow(Parameters& p, const arch::DeviceModel& m) {
    const auto& t = m.tensor;
    const double tensor[] = {t.f16, t.bf16, t.tf32, t.f64, t.int8, t.int4, t.fp8};
    static_assert(std::size(tensor) == machine::kMatrixTypes);
    for (unsigned k = 0; k < machine::kMatrixTypes; ++k) {
        // Where a type has no unit of its own, f16 does its work.
        const double rate = known(tensor[k], known(t.f16, 2 * known(m.unit_rates().fp32, 128)));
        const bool doubles = static_cast<machine::MatrixType>(k) == machine::MatrixType::f64;
        p.warpgroup_product[k] = p.schedulers / rate;
        p.warp_product[k] = p.warpgroup_product[k] * (doubles ? p.doubles_of_warp : p.product_of_warp);
    }
    const double measured = std::max({m.ceilings.dram_read, m.ceilings.dram_write, m.ceilings.dram_copy});
    p.memory_bytes = known(measured, p.dram_efficiency * m.memory.bandwidth) / p.clock;
}

using Timing = arch::DeviceModel::Timing;

/// A key of [timing]: where a model has it, and what the simulation takes it as.
struct Entry {
    std::string_view key;
    std::optional<double> Timing::* given;
    void (*take)(Parameters&, double);
    double (*value)(const Parameters&);
};

double& latency_of(Parameters& p, Pipe pipe) { return p.pipes[static_cast<std::size_t>(pipe)].latency; }
double latency_of(const Parameters& p, Pipe pipe) { return p.pipes[static_cast<std::size_t>(pipe)].latency; }

const Entry kEntries[] = {
#define WARPWRIGHT_TIMING_FIGURE(key, type, ...)                                        \
    {#key, &Timing::key, [](Parameters& p, double v) { p.key = static_cast<type>(v); }, \
     [](const Parameters& p) { return static_cast<double>(p.key); }},
#define WARPWRIGHT_TIMING_LATENCY(key, pipe, ...)                                        \
    {#key, &Timing::key, [](Parameters& p, double v) { latency_of(p, Pipe::pipe) = v; }, \
     [](const Parameters& p) { return latency_of(p, Pipe::pipe); }},
#include "arch/timing_figures.inc"
};

}  // namespace

Parameters parameters(const arch::DeviceModel& m) {
    Parameters p = defaults(m);
    for (const Entry& e : kEntries)
        if (const auto& given = m.timing.*e.given) e.take(p, *given);
    follow(p, m);
    return p;
}

std::vector<TakenFigure> taken_figures(const arch::DeviceModel& m) {
    Parameters p = parameters(m);
    std::vector<TakenFigure> out;
    for (const Entry& e : kEntries) out.push_back({e.key, e.value(p), (m.timing.*e.given).has_value()});
    return out;
}

}  // namespace warpwright::timing
