// The table of all figures, each tied to its member of DeviceModel with the factor between the file's unit and ours.
// Reading, listing and writing are loops over it, so that a figure is in all of them or in none.
#include "arch/figures.hpp"

#include <fmt/format.h>

namespace warpwright::arch {

namespace {

constexpr double kMega = 1e6, kGiga = 1e9, kKiB = 1024, kMiB = 1024 * 1024;
constexpr bool must = true, may = false;

#define FIGURE(table, key, member, scale, required)                                           \
    FigureSpec {                                                                              \
        table, key, [](DeviceModel& m) -> Slot { return &m.member; }, double(scale), required \
    }

#define TIMING(key, member, scale, least, most)                                                                 \
    FigureSpec {                                                                                                \
        "timing", key, [](DeviceModel& m) -> Slot { return &m.timing.member; }, double(scale), may, least, most \
    }

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
    TIMING("start_each", start_each, 1, 0, 1e4),
    TIMING("block_start", block_start, 1, 0, 1e6),
    TIMING("block_interval", block_interval, 1, 0, 1e6),
    TIMING("fetch_latency", fetch_latency, 1, 0, 1e6),
    TIMING("line_latency", line_latency, 1, 0, 1e6),
    TIMING("instruction_lines", instruction_lines, 1, 1, 1e6),
    TIMING("barrier", barrier, 1, 0, 1e6),
    TIMING("barrier_of_warp", barrier_of_warp, 1, 0, 1e4),
    TIMING("fence", fence, 1, 0, 1e6),
    TIMING("sleep", sleep, 1, 0, 1e9),
    TIMING("late_other_pipe", late_other_pipe, 1, 0, 1e4),
    TIMING("late_guard", late_guard, 1, 0, 1e4),
    TIMING("branch", branch, 1, 0, 1e4),
    TIMING("branch_taken", branch_taken, 1, 0, 1e4),
    TIMING("logic", logic, 1, 1, 1e4),
    TIMING("integer", integer, 1, 1, 1e4),
    TIMING("multiply", multiply, 1, 1, 1e4),
    TIMING("half", half, 1, 1, 1e4),
    TIMING("fp64", fp64, 1, 1, 1e4),
    TIMING("special", special, 1, 1, 1e4),
    TIMING("convert", convert, 1, 1, 1e4),
    TIMING("shuffle", shuffle, 1, 1, 1e4),
    TIMING("product", product, 1, 1, 1e4),
    TIMING("register_latency", register_latency, 1, 0, 1e4),
    TIMING("wavefront", wavefront, 1, 1, 1e4),
    TIMING("constant_miss", constant_miss, 1, 0, 1e6),
    TIMING("constant_further_miss", constant_further_miss, 1, 0, 1e6),
    TIMING("constant_near", constant_near, 1, 0, 1e4),
    TIMING("constant_spacing", constant_spacing, 1, 0, 1e4),
    TIMING("constant_operand", constant_operand, 1, 0, 1e4),
    TIMING("constant_fetch", constant_fetch, 1, 0, 1e6),
    TIMING("constant_lines", constant_lines, 1, 1, 1e6),
    TIMING("constant_line", constant_line, 1, 0, 1e6),
    TIMING("constant_line_turn", constant_line_turn, 1, 0, 1e4),
    TIMING("indexed_lines", indexed_lines, 1, 1, 1e6),
    TIMING("constant_turn", constant_turn, 1, 0, 1e4),
    TIMING("constant_further", constant_further, 1, 0, 1e4),
    TIMING("compare_round", compare_round, 1, 1, 1e6),
    TIMING("compare_turn", compare_turn, 1, 0, 1e6),
    TIMING("compare_passes", compare_passes, 1, 0, 1e4),
    TIMING("access_spacing", access_spacing, 1, 0, 1e4),
    TIMING("request_queue", request_queue, 1, 1, 1e6),
    TIMING("memory_queue", memory_queue, 1, 1, 1e6),
    TIMING("memory_apart", memory_apart, 1, 0, 1e6),
    TIMING("farther", farther, 1, 0, 10),
    TIMING("store_stays", store_stays, 1, 0, 1e6),
    TIMING("fetch_sectors", fetch_sectors, 1, 1, 16),
    TIMING("dram_efficiency", dram_efficiency, 1, 0.01, 1),
    TIMING("l2_line", l2_line, 1, 0, 1e4),
    TIMING("write_line", write_line, 1, 0, 1e4),
    TIMING("write_sector", write_sector, 1, 0, 1e4),
    TIMING("l2_alone", l2_alone, 1, 1, 1e4),
    TIMING("l2_slices", l2_slices, 1, 1, 4096),
    TIMING("l2_lookups_of_write", l2_lookups_of_write, 1, 0, 100),
    TIMING("l2_lookups_of_launch", l2_lookups_of_launch, 1, 0, 1e9),
    TIMING("atomic_turn", atomic_turn, 1, 0, 1e4),
    TIMING("atomic_float_turn", atomic_float_turn, 1, 0, 1e4),
    TIMING("atomic_compare", atomic_compare, 1, 1, 100),
    TIMING("bulk_start", bulk_start, 1, 0, 1e6),
    TIMING("phase", phase, 1, 0, 1e6),
    TIMING("bulk_groups", bulk_groups, 1, 1, 1024),
    TIMING("bulk_merged", bulk_merged, 1, 1, 1024),
    TIMING("product_of_warp", product_of_warp, 1, 0.1, 100),
    TIMING("doubles_of_warp", doubles_of_warp, 1, 0.1, 100),
};

#undef FIGURE
#undef TIMING

}  // namespace

std::span<const FigureSpec> figure_specs() { return kSpecs; }

const FigureSpec* figure_spec(std::string_view table, std::string_view key) {
    for (const FigureSpec& s : kSpecs)
        if (s.table == table && s.key == key) return &s;
    return nullptr;
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
