// The table of all figures, each tied to its member of DeviceModel with the factor between the file's unit and ours.
// Reading, listing and writing are loops over it, so that a figure is in all of them or in none.
#include "arch/figures.hpp"

#include <fmt/format.h>

#include "support/bytes_of_values.hpp"
#include "support/content_hash.hpp"

namespace warpwright::arch {

namespace {

constexpr double kMega = 1e6, kGiga = 1e9, kKiB = 1024, kMiB = 1024 * 1024;
constexpr bool must = true, may = false;

#define FIGURE(table, key, member, scale, required)                                           \
    FigureSpec {                                                                              \
        table, key, [](DeviceModel& m) -> Slot { return &m.member; }, double(scale), required \
    }

#define TIMING(key, least, most) \
    FigureSpec{"timing", #key, [](DeviceModel& m) -> Slot { return &m.timing.key; }, 1, may, least, most},

constexpr FigureSpec kSpecs[] = {
    FIGURE("sm", "multiprocessors", sm.multiprocessors, 1, must),
    FIGURE("sm", "schedulers", sm.schedulers, 1, must),
    FIGURE("sm", "issue_per_scheduler", sm.issue_per_scheduler, 1, must),
    FIGURE("clocks", "base_mhz", clocks.base, kMega, may),
    FIGURE("clocks", "boost_mhz", clocks.boost, kMega, may),
    FIGURE("clocks", "bound_mhz", clocks.bound, kMega, must),
    FIGURE("clocks", "tensor_mhz", clocks.tensor, kMega, may),
    FIGURE("clocks", "memory_mhz", clocks.memory, kMega, may),
    FIGURE("limits", "warp", limits.warp, 1, must),
    FIGURE("limits", "threads_per_block", limits.threads_per_block, 1, must),
    FIGURE("limits", "block_x", limits.block_x, 1, must),
    FIGURE("limits", "block_y", limits.block_y, 1, must),
    FIGURE("limits", "block_z", limits.block_z, 1, must),
    FIGURE("limits", "grid_x", limits.grid_x, 1, must),
    FIGURE("limits", "grid_y", limits.grid_y, 1, must),
    FIGURE("limits", "grid_z", limits.grid_z, 1, must),
    FIGURE("limits", "threads_per_sm", limits.threads_per_sm, 1, must),
    FIGURE("limits", "warps_per_sm", limits.warps_per_sm, 1, must),
    FIGURE("limits", "blocks_per_sm", limits.blocks_per_sm, 1, must),
    FIGURE("limits", "blocks_of_warps", limits.blocks_of_warps, 1, may),
    FIGURE("limits", "registers_per_sm", limits.registers_per_sm, 1, must),
    FIGURE("limits", "registers_per_block", limits.registers_per_block, 1, must),
    FIGURE("limits", "registers_per_thread", limits.registers_per_thread, 1, must),
    FIGURE("limits", "shared_per_sm", limits.shared_per_sm, 1, must),
    FIGURE("limits", "shared_per_block", limits.shared_per_block, 1, must),
    FIGURE("limits", "shared_per_block_optin", limits.shared_per_block_optin, 1, must),
    FIGURE("limits", "cluster_blocks", limits.cluster_blocks, 1, may),
    FIGURE("limits", "constant", limits.constant, 1, may),
    FIGURE("allocation", "register_unit", allocation.register_unit, 1, must),
    FIGURE("allocation", "sub_partitions", allocation.sub_partitions, 1, must),
    FIGURE("allocation", "shared_unit", allocation.shared_unit, 1, must),
    FIGURE("allocation", "reserved_shared", allocation.reserved_shared, 1, must),
    FIGURE("allocation", "register_blocks", allocation.register_blocks, 1, may),
    FIGURE("allocation", "warp_unit", allocation.warp_unit, 1, may),
    FIGURE("units", "fp16", units.fp16, 1, may),
    FIGURE("units", "fp32", units.fp32, 1, must),
    FIGURE("units", "fp64", units.fp64, 1, may),
    FIGURE("units", "integer", units.integer, 1, must),
    FIGURE("units", "integer_multiply", units.integer_multiply, 1, may),
    FIGURE("units", "logic", units.logic, 1, may),
    FIGURE("units", "special", units.special, 1, must),
    FIGURE("units", "convert", units.convert, 1, may),
    FIGURE("units", "shuffle", units.shuffle, 1, may),
    FIGURE("units", "load_store", units.load_store, 1, must),
    FIGURE("units", "texture", units.texture, 1, may),
    FIGURE("tensor", "f16", tensor.f16, 1, may),
    FIGURE("tensor", "bf16", tensor.bf16, 1, may),
    FIGURE("tensor", "tf32", tensor.tf32, 1, may),
    FIGURE("tensor", "f64", tensor.f64, 1, may),
    FIGURE("tensor", "int8", tensor.int8, 1, may),
    FIGURE("tensor", "int4", tensor.int4, 1, may),
    FIGURE("tensor", "fp8", tensor.fp8, 1, may),
    FIGURE("tensor", "sparse_f16", tensor.sparse_f16, 1, may),
    FIGURE("tensor", "sparse_bf16", tensor.sparse_bf16, 1, may),
    FIGURE("tensor", "sparse_tf32", tensor.sparse_tf32, 1, may),
    FIGURE("tensor", "sparse_int8", tensor.sparse_int8, 1, may),
    FIGURE("tensor", "sparse_fp8", tensor.sparse_fp8, 1, may),
    FIGURE("cache", "l1_kib", cache.l1, kKiB, may),
    FIGURE("cache", "l1_unified", cache.l1_unified, 1, may),
    FIGURE("cache", "l1_bytes_per_cycle", cache.l1_bandwidth, 1, may),
    FIGURE("cache", "l2_kib", cache.l2, kKiB, may),
    FIGURE("cache", "l2_gb_s", cache.l2_bandwidth, kGiga, may),
    FIGURE("cache", "l2_partitions", cache.l2_partitions, 1, may),
    FIGURE("cache", "line", cache.line, 1, must),
    FIGURE("cache", "sector", cache.sector, 1, must),
    FIGURE("shared", "banks", shared.banks, 1, must),
    FIGURE("shared", "bank_width", shared.bank_width, 1, must),
    FIGURE("shared", "wavefronts_per_cycle", shared.wavefronts, 1, must),
    FIGURE("memory", "type", memory.type, 1, must),
    FIGURE("memory", "size_mib", memory.size, kMiB, must),
    FIGURE("memory", "bus_bits", memory.bus, 1, may),
    FIGURE("memory", "bandwidth_gb_s", memory.bandwidth, kGiga, must),
    FIGURE("latency", "arithmetic", latency.arithmetic, 1, may),
    FIGURE("latency", "shared", latency.shared, 1, may),
    FIGURE("latency", "l1", latency.l1, 1, may),
    FIGURE("latency", "l2", latency.l2, 1, may),
    FIGURE("latency", "memory", latency.memory, 1, may),
    FIGURE("latency", "texture", latency.texture, 1, may),
    FIGURE("latency", "texture_filter", latency.texture_filter, 1, may),
    FIGURE("latency", "constant", latency.constant, 1, may),
    FIGURE("latency", "atomic_shared", latency.atomic_shared, 1, may),
    FIGURE("latency", "atomic_global", latency.atomic_global, 1, may),
    FIGURE("latency", "barrier", latency.barrier, 1, may),
    FIGURE("links", "pcie_generation", links.pcie_generation, 1, may),
    FIGURE("links", "pcie_lanes", links.pcie_lanes, 1, may),
    FIGURE("links", "pcie_gb_s", links.pcie, kGiga, may),
    FIGURE("links", "nvlink_gb_s", links.nvlink, kGiga, may),
    FIGURE("links", "copy_engines", links.copy_engines, 1, may),
    FIGURE("links", "hardware_queues", links.hardware_queues, 1, may),
    FIGURE("links", "copy_latency_us", links.copy_latency, 1e-6, may),
    FIGURE("links", "nvlink_links", links.nvlink_links, 1, may),
    FIGURE("links", "nvlink_link_gb_s", links.nvlink_link, kGiga, may),
    FIGURE("links", "nvlink_switch", links.nvlink_switch, 1, may),
    FIGURE("links", "nvlink_latency_us", links.nvlink_latency, 1e-6, may),
    FIGURE("links", "staged_latency_us", links.staged_latency, 1e-6, may),
    FIGURE("ceilings", "dram_read", ceilings.dram_read, 1, may),
    FIGURE("ceilings", "dram_write", ceilings.dram_write, 1, may),
    FIGURE("ceilings", "dram_copy", ceilings.dram_copy, 1, may),
    FIGURE("ceilings", "l2_read", ceilings.l2_read, 1, may),
    FIGURE("ceilings", "l1_read", ceilings.l1_read, 1, may),
    FIGURE("ceilings", "shared_read", ceilings.shared_read, 1, may),
    FIGURE("ceilings", "shared_write", ceilings.shared_write, 1, may),
    FIGURE("ceilings", "fma_f32", ceilings.fma_f32, 1, may),
    FIGURE("ceilings", "fma_f64", ceilings.fma_f64, 1, may),
    FIGURE("ceilings", "fma_f16", ceilings.fma_f16, 1, may),
    FIGURE("ceilings", "fma_bf16", ceilings.fma_bf16, 1, may),
    FIGURE("ceilings", "mad_i32", ceilings.mad_i32, 1, may),
    FIGURE("ceilings", "special", ceilings.special, 1, may),
    FIGURE("ceilings", "tensor_f16", ceilings.tensor_f16, 1, may),
    FIGURE("ceilings", "tensor_bf16", ceilings.tensor_bf16, 1, may),
    FIGURE("ceilings", "tensor_tf32", ceilings.tensor_tf32, 1, may),
    FIGURE("ceilings", "tensor_f64", ceilings.tensor_f64, 1, may),
    FIGURE("ceilings", "tensor_int8", ceilings.tensor_int8, 1, may),
    FIGURE("ceilings", "tensor_fp8", ceilings.tensor_fp8, 1, may),
    FIGURE("ceilings", "sparse_f16", ceilings.sparse_f16, 1, may),
    FIGURE("ceilings", "sparse_bf16", ceilings.sparse_bf16, 1, may),
    FIGURE("ceilings", "sparse_tf32", ceilings.sparse_tf32, 1, may),
    FIGURE("ceilings", "sparse_int8", ceilings.sparse_int8, 1, may),
    FIGURE("ceilings", "sparse_fp8", ceilings.sparse_fp8, 1, may),
    FIGURE("ceilings", "atomic_global", ceilings.atomic_global, 1, may),
    FIGURE("ceilings", "atomic_same", ceilings.atomic_same, 1, may),
    FIGURE("ceilings", "atomic_shared", ceilings.atomic_shared, 1, may),
    FIGURE("ceilings", "to_device", ceilings.to_device, 1, may),
    FIGURE("ceilings", "to_host", ceilings.to_host, 1, may),
    FIGURE("ceilings", "both_ways", ceilings.both_ways, 1, may),
    FIGURE("ceilings", "pageable_to_device", ceilings.pageable_to_device, 1, may),
    FIGURE("ceilings", "pageable_to_host", ceilings.pageable_to_host, 1, may),
    FIGURE("ceilings", "peer_copy", ceilings.peer_copy, 1, may),
    FIGURE("ceilings", "peer_access", ceilings.peer_access, 1, may),
    FIGURE("ceilings", "peer_staged", ceilings.peer_staged, 1, may),
    FIGURE("conflicts", "latency_1", conflicts.latency[0], 1, may),
    FIGURE("conflicts", "latency_2", conflicts.latency[1], 1, may),
    FIGURE("conflicts", "latency_4", conflicts.latency[2], 1, may),
    FIGURE("conflicts", "latency_8", conflicts.latency[3], 1, may),
    FIGURE("conflicts", "latency_16", conflicts.latency[4], 1, may),
    FIGURE("conflicts", "latency_32", conflicts.latency[5], 1, may),
    FIGURE("conflicts", "cycles_1", conflicts.cycles[0], 1, may),
    FIGURE("conflicts", "cycles_2", conflicts.cycles[1], 1, may),
    FIGURE("conflicts", "cycles_4", conflicts.cycles[2], 1, may),
    FIGURE("conflicts", "cycles_8", conflicts.cycles[3], 1, may),
    FIGURE("conflicts", "cycles_16", conflicts.cycles[4], 1, may),
    FIGURE("conflicts", "cycles_32", conflicts.cycles[5], 1, may),
    FIGURE("launches", "queued_us", launches.queued, 1e-6, may),
    FIGURE("launches", "graph_us", launches.graph, 1e-6, may),
    FIGURE("launches", "start_us", launches.start, 1e-6, may),
    FIGURE("launches", "round_trip_us", launches.round_trip, 1e-6, may),
#define WARPWRIGHT_TIMING_FIGURE(key, type, initial, otherwise, least, most, ...) TIMING(key, least, most)
#define WARPWRIGHT_TIMING_LATENCY(key, pipe, otherwise, least, most, ...) TIMING(key, least, most)
#include "arch/timing_figures.inc"
};

#undef FIGURE
#undef TIMING

/// A figure's default in words: `otherwise`, or the number itself.
constexpr std::string_view default_words(std::string_view otherwise, std::string_view initial) {
    return otherwise.empty() ? initial : otherwise;
}

constexpr TimingFigure kTiming[] = {
#define WARPWRIGHT_TIMING_FIGURE(key, type, initial, otherwise, least, most, unit, probe, meaning, method) \
    {#key, default_words(otherwise, #initial), unit, probe, meaning, method},
#define WARPWRIGHT_TIMING_LATENCY(key, pipe, otherwise, least, most, unit, probe, meaning, method) \
    {#key, otherwise, unit, probe, meaning, method},
#include "arch/timing_figures.inc"
};

}  // namespace

std::span<const FigureSpec> figure_specs() { return kSpecs; }

std::span<const TimingFigure> timing_figures() { return kTiming; }

const FigureSpec* figure_spec(std::string_view table, std::string_view key) {
    for (const FigureSpec& s : kSpecs)
        if (s.table == table && s.key == key) return &s;
    return nullptr;
}

std::string fingerprint(const DeviceModel& model) {
    ByteWriter w;
    w.all(model.name, model.title, model.vendor, model.architecture, model.chip, model.compute_capability,
          model.coalescing);
    DeviceModel copy = model;  // slots point into a model that may be written
    for (const FigureSpec& spec : figure_specs()) std::visit([&](const auto* slot) { w.add(*slot); }, spec.slot(copy));
    w.each(model.sources, [&](const auto& figure) { w.add(figure.first); });
    return content_hash(w.bytes());
}

std::vector<Figure> figures(const DeviceModel& model) {
    std::vector<Figure> out;
    DeviceModel copy = model;  // slots point into a model that may be written
    for (const FigureSpec& spec : figure_specs()) {
        const auto source = model.sources.find(fmt::format("{}.{}", spec.table, spec.key));
        if (source == model.sources.end()) continue;
        const std::string value = std::visit(
            [&](auto* slot) -> std::string {
                if constexpr (std::is_same_v<decltype(slot), std::string*>)
                    return *slot;
                else if constexpr (std::is_same_v<decltype(slot), std::optional<double>*>)
                    return slot->has_value() ? fmt::format("{:.10g}", **slot / spec.scale) : std::string();
                else
                    return fmt::format("{:.10g}", double(*slot) / spec.scale);
            },
            spec.slot(copy));
        std::optional<double> spread;
        if (const auto known = model.spreads.find(source->first); known != model.spreads.end()) spread = known->second;
        out.push_back({std::string(spec.table), std::string(spec.key), value, source->second, spread});
    }
    if (const auto source = model.sources.find("coalescing.rule"); source != model.sources.end())
        out.push_back({"coalescing", "rule", std::string(coalescing_name(model.coalescing)), source->second, {}});
    return out;
}

}  // namespace warpwright::arch
