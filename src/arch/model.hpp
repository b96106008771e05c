// A device model: the figures of one GPU, read from data/devices/*.toml. Everything that depends on a particular GPU
// (limits of a launch, occupancy, bounds, coalescing rules) takes its figures from here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::arch {

/// How the load/store unit of a generation turns one request into memory transactions.
enum class Coalescing {
    half_warp_segments,  ///< compute capability 1.x: 32/64/128-byte segments of each half warp
    l1_lines,            ///< 2.x: 128-byte lines of L1, one per distinct line of a warp
    l2_segments,         ///< 3.x: global loads bypass L1; 32-byte segments of L2
    sectors,             ///< 5.x and later: 32-byte sectors of 128-byte lines
    lines_64,            ///< AMD GCN: lines of 64 bytes
};

std::string_view coalescing_name(Coalescing rule);

/// Bytes in which global memory moves: a sector, or a whole line; 0 where transactions of one device differ.
unsigned transaction_bytes(Coalescing rule);

/// A GPU in figures, in SI units (Hz, bytes, bytes/s) and cycles, whatever unit the file has. Zero means that the
/// figure is not known or that the hardware has no such thing; `known` tells the user which figures the file gives.
struct DeviceModel {
    std::string name;            ///< stem of the file: "h200"
    std::string title;           ///< "NVIDIA H200 SXM 141 GB"
    std::string vendor;          ///< "NVIDIA"
    std::string architecture;    ///< "Hopper"
    std::string chip;            ///< "GH100"
    int compute_capability = 0;  ///< major * 10 + minor; 0 on other vendors' devices
    std::string file;            ///< where it was read

    struct Chip {
        std::uint32_t multiprocessors = 0;
        std::uint32_t schedulers = 0;    ///< warp schedulers per multiprocessor
        double issue_per_scheduler = 0;  ///< instructions per cycle (2: dual issue; 0.5: one every other cycle)
    } sm;

    struct Clocks {
        double base = 0, boost = 0;  ///< Hz
        double bound = 0;            ///< Hz: the clock at which bounds are computed
        double tensor = 0;           ///< Hz: the clock behind the data sheet's tensor rates; 0 = bound
        double memory = 0;           ///< Hz
    } clocks;

    struct Limits {
        std::uint32_t warp = 32;  ///< threads
        std::uint32_t threads_per_block = 0;
        std::uint32_t block_x = 0, block_y = 0, block_z = 0;
        std::uint32_t grid_x = 0, grid_y = 0, grid_z = 0;
        std::uint32_t threads_per_sm = 0;
        std::uint32_t warps_per_sm = 0;
        std::uint32_t blocks_per_sm = 0;
        std::uint32_t blocks_of_warps = 0;   ///< blocks of more than one warp, if fewer of those fit; else 0
        std::uint32_t registers_per_sm = 0;  ///< 32-bit registers
        std::uint32_t registers_per_block = 0;
        std::uint32_t registers_per_thread = 0;
        std::uint32_t shared_per_sm = 0;           ///< bytes
        std::uint32_t shared_per_block = 0;        ///< bytes, without opt-in
        std::uint32_t shared_per_block_optin = 0;  ///< bytes
        std::uint32_t cluster_blocks = 0;          ///< portable cluster size; 0 = no clusters
        std::uint32_t constant = 0;                ///< bytes of constant memory
    } limits;

    /// Granularity in which a multiprocessor hands out its resources to blocks.
    struct Allocation {
        std::uint32_t register_unit = 0;    ///< registers, rounded up for each warp
        std::uint32_t sub_partitions = 0;   ///< register files per multiprocessor
        std::uint32_t shared_unit = 0;      ///< bytes, rounded up for each block
        std::uint32_t reserved_shared = 0;  ///< bytes that the system reserves in every block's shared memory
        std::uint32_t register_blocks =
            0;                        ///< 1: registers are allocated for the block as a whole, not for each warp (1.x)
        std::uint32_t warp_unit = 0;  ///< then: the number of warps is rounded up to a multiple of this
    } allocation;

    /// Results (threads' worth of operations) per cycle and multiprocessor.
    struct Units {
        double fp16 = 0;  ///< half-precision operations: a packed instruction makes two
        double fp32 = 0;
        double fp64 = 0;
        double integer = 0;           ///< 32-bit add, subtract, compare
        double integer_multiply = 0;  ///< 32-bit multiply and multiply-add; 0 = made of several instructions
        double logic = 0;
        double special = 0;  ///< rcp, rsqrt, ex2, lg2, sin, cos
        double convert = 0;  ///< between 32-bit types
        double shuffle = 0;
        double load_store = 0;  ///< addresses
        double texture = 0;     ///< fetches with a filter over 2 x 2 elements
    } units;

    /// Dense matrix operations, FLOP (or integer operations) per cycle and multiprocessor; a multiply-add is two.
    struct Tensor {
        double f16 = 0, bf16 = 0, tf32 = 0, f64 = 0, int8 = 0, int4 = 0, fp8 = 0;
        /// With two zeros in four (2:4), FLOP of the equivalent dense products.
        double sparse_f16 = 0, sparse_bf16 = 0, sparse_tf32 = 0, sparse_int8 = 0, sparse_fp8 = 0;
    } tensor;

    struct Cache {
        std::uint64_t l1 = 0;  ///< bytes per multiprocessor (unified with shared memory where l1_unified is 1)
        std::uint32_t l1_unified = 0;
        double l1_bandwidth = 0;          ///< bytes per cycle and multiprocessor
        std::uint64_t l2 = 0;             ///< bytes
        double l2_bandwidth = 0;          ///< bytes/s, whole device
        std::uint32_t l2_partitions = 1;  ///< parts, each near to some of the multiprocessors
        std::uint32_t line = 0;           ///< bytes
        std::uint32_t sector = 0;         ///< bytes
    } cache;

    struct Shared {
        std::uint32_t banks = 0;
        std::uint32_t bank_width = 0;  ///< bytes per cycle and bank
        double wavefronts = 0;         ///< per cycle and multiprocessor
    } shared;

    struct Memory {
        std::string type;        ///< "HBM3e"
        std::uint64_t size = 0;  ///< bytes
        std::uint32_t bus = 0;   ///< bits
        double bandwidth = 0;    ///< bytes/s, peak
    } memory;

    /// Dependent-use latencies in cycles.
    struct Latency {
        double arithmetic = 0, shared = 0, l1 = 0, l2 = 0, memory = 0;
        double texture = 0;         ///< a fetch by whole coordinates, from the first level
        double texture_filter = 0;  ///< a fetch by coordinates in between
        double constant = 0, atomic_shared = 0, atomic_global = 0;
        double barrier = 0;  ///< of a block of 1024 threads
    } latency;

    /// Rates that were measured on a device of this kind (`warpwright device --measure`): bytes/s, FLOP/s (a
    /// multiply-add is two) or operations/s of the whole device. Zero where not measured.
    struct Ceilings {
        double dram_read = 0, dram_write = 0, dram_copy = 0;         ///< bytes/s; a copy's reads and writes together
        double l2_read = 0, l1_read = 0;                             ///< bytes/s
        double shared_read = 0, shared_write = 0;                    ///< bytes/s
        double fma_f32 = 0, fma_f64 = 0, fma_f16 = 0, fma_bf16 = 0;  ///< FLOP/s, without tensor cores
        double mad_i32 = 0;                                          ///< operations/s, two per multiply-add
        double special = 0;                                          ///< results/s of ex2
        /// FLOP/s of dense products, by the best instruction there is, on random numbers.
        double tensor_f16 = 0, tensor_bf16 = 0, tensor_tf32 = 0, tensor_f64 = 0, tensor_int8 = 0, tensor_fp8 = 0;
        /// The same with 2:4 sparsity, FLOP of the equivalent dense products.
        double sparse_f16 = 0, sparse_bf16 = 0, sparse_tf32 = 0, sparse_int8 = 0, sparse_fp8 = 0;
        double atomic_global = 0, atomic_same = 0, atomic_shared = 0;  ///< operations/s: words apart, one word, shared
        double to_device = 0, to_host = 0, both_ways = 0;              ///< bytes/s, pinned host memory
        double pageable_to_device = 0, pageable_to_host = 0;           ///< bytes/s
        double peer_copy = 0;    ///< bytes/s of a copy to another device over their link, one direction
        double peer_access = 0;  ///< bytes/s that a kernel reads, or writes, of another device's memory
        double peer_staged = 0;  ///< bytes/s of a copy between devices without access to each other
    } ceilings;

    /// Measured bank conflicts of 2^i ways, i = 0 to 5: cycles of a load alone, and at full load.
    struct Conflicts {
        double latency[6] = {}, cycles[6] = {};
    } conflicts;

    /// The cost of starting a kernel, in seconds: one after the other, as a node of a graph, alone with a wait for it.
    struct Launches {
        double queued = 0, graph = 0, round_trip = 0;
        double start = 0;  ///< what a launch's duration has beyond the cycles of its warps
    } launches;

    /// What the simulation of a multiprocessor takes besides, in the units of arch/timing_figures.inc. Absent: what
    /// timing/parameters takes in its place.
    struct Timing {
#define WARPWRIGHT_TIMING_FIGURE(key, ...) std::optional<double> key;
#define WARPWRIGHT_TIMING_LATENCY(key, ...) std::optional<double> key;
#include "arch/timing_figures.inc"
    } timing;

    struct Links {
        std::uint32_t pcie_generation = 0, pcie_lanes = 0;
        double pcie = 0;                    ///< bytes/s, one direction
        double nvlink = 0;                  ///< bytes/s, both directions together
        std::uint32_t copy_engines = 0;     ///< copies between host and device that run at once: 2 = one each way
        std::uint32_t hardware_queues = 0;  ///< 1: an engine takes work in the order of issue; more: what is ready
        double copy_latency = 0;            ///< seconds of a copy before its first byte
        std::uint32_t nvlink_links = 0;
        std::uint32_t nvlink_switch = 0;  ///< 1: any two devices have all links between them, through switches
        double nvlink_link = 0;           ///< bytes/s of one link, one direction
        double nvlink_latency = 0;        ///< seconds of a copy between devices before its first byte
        double staged_latency = 0;        ///< the same where it goes through the host
    } links;

    Coalescing coalescing = Coalescing::sectors;

    /// "table.key" of every figure in the file -> where that figure comes from.
    std::map<std::string, std::string> sources;
    /// "table.key" -> spread of its measurement (half the interquartile range over the median), where the file gives
    /// it.
    std::map<std::string, double> spreads;

    bool known(std::string_view figure) const { return sources.count(std::string(figure)) != 0; }

    // Peak rates that follow from the figures above, at clocks.bound.
    double flops_f32() const { return 2 * units.fp32 * sm.multiprocessors * clocks.bound; }  ///< FLOP/s
    double flops_f64() const { return 2 * units.fp64 * sm.multiprocessors * clocks.bound; }  ///< FLOP/s
    double flops_f16() const { return 2 * units.fp16 * sm.multiprocessors * clocks.bound; }  ///< FLOP/s
    /// FLOP/s of a tensor type given as its figure (for example tensor.f16).
    double tensor_rate(double per_cycle) const {
        return per_cycle * sm.multiprocessors * (clocks.tensor > 0 ? clocks.tensor : clocks.bound);
    }

    // The rates from which bounds are computed: the measured ceiling where the model has one, else the data sheet's
    // figure. FLOP/s of a rung's unit ("fp32", "bf16", "sparse_f16", ...) by the data sheet, and as measured; 0 where
    // there is no figure.
    double sheet_flops(std::string_view unit) const;
    double measured_flops(std::string_view unit) const;
    double dram_bandwidth() const;                     ///< bytes/s: the best of read, write and copy
    double l2_bandwidth() const;                       ///< bytes/s
    double l1_bytes_per_cycle() const;                 ///< per multiprocessor
    double wavefront_rate() const;                     ///< shared wavefronts per cycle (clocks.bound) and
                                                       ///< multiprocessor
    Units unit_rates() const;                          ///< as `units`, with measured rates in their place
    double tensor_flops(std::string_view type) const;  ///< FLOP/s of "f16", "bf16", ...; 0 where there is no figure
    /// Shared-memory bytes/s of the whole device.
    double shared_bandwidth() const {
        return double(shared.banks) * shared.bank_width * sm.multiprocessors * clocks.bound;
    }
    /// Warp instructions/s of the whole device.
    double issue_rate() const {
        return double(sm.schedulers) * sm.issue_per_scheduler * sm.multiprocessors * clocks.bound;
    }
};

/// One figure of a model in readable form, for `warpwright device`.
struct Figure {
    std::string table, key;  ///< as in the file
    std::string value;       ///< in the file's unit
    std::string source;
    std::optional<double> spread;
};

/// Every figure that the model's file gives, in the order of the file format.
std::vector<Figure> figures(const DeviceModel& model);

/// The contents of a model file: the model it starts from, and its own figures in the file's units (`value` as TOML has
/// it).
struct ModelText {
    std::string inherit;  ///< name or path of another model
    std::string title, comment;
    std::vector<Figure> figures;
};

/// The text of a model file. Figures of a table stand together, in the order of the file format.
std::string write_model(const ModelText& text);

/// Reads a model file. Errors (ErrorKind::input) name file and line: bad syntax, unknown or missing keys, wrong
/// types, values out of range, a figure without a source.
Result<DeviceModel> read_model(const std::string& path);

/// Parses a model's text; `file` is its name in messages.
Result<DeviceModel> parse_model(const std::string& text, const std::string& file);

/// The model of whoever names none.
inline constexpr const char* kDefaultModel = "h200";
inline std::string model_or_default(const std::string& name) { return name.empty() ? kDefaultModel : name; }

/// Loads a model by name ("h200", any case) or by path (it contains '/' or ends in ".toml"). Names are looked up in
/// model_folders(). ErrorKind::usage with the known names when there is no such model.
Result<DeviceModel> load_model(const std::string& name_or_path);

/// The file that load_model would read: a path as it is, or the file of a name.
Result<std::string> find_model(const std::string& name_or_path);

/// The figures that compute capabilities fix, from data/capabilities: models that have limits, allocation, banks and
/// the coalescing rule and nothing else; `name` is "cc3.5". In the file's order, oldest first.
Result<std::vector<DeviceModel>> load_capabilities();
/// The same from a text; `file` is its name in messages.
Result<std::vector<DeviceModel>> parse_capabilities(const std::string& text, const std::string& file);
/// A model of load_model, or "cc3.5": one of load_capabilities. For uses that need limits and rules only.
Result<DeviceModel> load_limits(const std::string& name_or_path);

/// Names that load_model finds, sorted, each once.
std::vector<std::string> list_models();

/// Where a user's own models are: warpwright/devices in XDG_DATA_HOME, else in ~/.local/share. Empty where there is no
/// home. It need not be there.
std::string user_model_folder();

/// The folders in which names are looked up, in order (support/data_folders.hpp); only those that exist.
std::vector<std::string> model_folders();

}  // namespace warpwright::arch
