// The table of the deep figures: which group measures each, or why no clock can. Each that is not measured is named
// with its reason, so that none is forgotten in silence.
#include "measure/ceilings/deep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "arch/figures.hpp"
#include "timing/parameters.hpp"

namespace warpwright::measure {
namespace {

constexpr std::string_view kCounters = "a GPU's counters tell it, and no clock",
                           kFitted = "fitted to kernels: nothing shows it alone",
                           kTextures = "no kernel of ours fetches textures to measure them",
                           kAhead =
                               "constants are brought ahead of the first instruction; Nsight Compute tells what "
                               "is left to wait for";

constexpr DeepFigure kFigures[] = {
    {"start_each", "", "cycles", "launches in a row hide it; Nsight Compute's durations tell it"},
    {"block_start", "blocks", "cycles", "from a block's end to the first instruction of the one that gets its place"},
    {"block_interval", "blocks", "cycles", "from a block to the next of the whole device, empty kernels"},
    {"fetch_latency", "", "cycles", "a kernel has no clock before its first instruction"},
    {"line_latency", "blocks", "cycles", "for 128 bytes of code that no cache of instructions keeps"},
    {"instruction_lines", "blocks", "lines", "of 128 bytes of code, from which on each is waited for"},
    {"barrier", "blocks", "cycles", "a barrier, without what each warp adds"},
    {"barrier_of_warp", "blocks", "cycles", "what each warp adds to a barrier"},
    {"fence", "operations", "cycles", "a fence of the block after another, no store under way"},
    {"sleep", "", "cycles", "a kernel asks for it by itself"},
    {"late_other_pipe", "operations", "cycles",
     "what a result takes longer to another pipe: multiply to logic and back"},
    {"late_guard", "operations", "cycles", "what a predicate takes longer to guard than a result to be read"},
    {"branch", "", "cycles", "the assembler's own wait: machine code tells it"},
    {"branch_taken", "", "cycles", "the assembler's own wait: machine code tells it"},
    {"logic", "operations", "cycles", "lop3 after another"},
    {"integer", "operations", "cycles", "a subtraction after another, by pairs with a logic operation"},
    {"multiply", "operations", "cycles", "mad.lo.u32 after another"},
    {"half", "operations", "cycles", "fma.rn.f16x2 after another"},
    {"fp64", "operations", "cycles", "fma.rn.f64 after another"},
    {"special", "operations", "cycles", "ex2.approx after another"},
    {"convert", "operations", "cycles", "f32 rounded to whole numbers, down and up, after another"},
    {"shuffle", "operations", "cycles", "shfl.sync after another"},
    {"product", "operations", "cycles", "mma.sync after another, f16, on the same accumulators"},
    {"register_latency", "operations", "cycles", "%smid after another, each guarded by what the one before gave"},
    {"wavefront", "waits", "cycles", "of a load of shared memory, by the number of its conflicts"},
    {"constant_miss", "", "cycles", kAhead},
    {"constant_further_miss", "", "cycles", kAhead},
    {"constant_near", "", "cycles", "a part of the operation that takes it as its operand"},
    {"constant_spacing", "", "cycles", kFitted},
    {"constant_operand", "", "cycles", "a part of the operation that takes it as its operand"},
    {"constant_fetch", "", "cycles", kAhead},
    {"constant_lines", "", "lines", kFitted},
    {"constant_line", "waits", "cycles",
     "of a constant's latency, by the number of lines that lanes read and the nearest cache has lost, less a place's"},
    {"constant_line_turn", "", "cycles", kFitted},
    {"indexed_lines", "", "lines", kFitted},
    {"constant_turn", "waits", "cycles", "of a full multiprocessor, by the number of places that lanes read"},
    {"constant_further", "waits", "cycles", "of a constant's latency, by the number of places that lanes read"},
    {"compare_round", "waits", "cycles", "a float added to a word of shared memory, 32 lanes of one warp, each"},
    {"compare_turn", "waits", "cycles", "the same, by the number of warps at the word"},
    {"compare_passes", "", "passes", kFitted},
    {"access_spacing", "waits", "cycles", "a load of shared memory after another that does not wait for it, one warp"},
    {"request_queue", "", "cycles", kFitted},
    {"memory_queue", "", "cycles", kFitted},
    {"memory_apart", "", "cycles", "fitted to kernels: a chase alone has twice as much"},
    {"farther", "traffic", "",
     "a chase in L2 on each multiprocessor: the slowest one's cycles over the median, less 1"},
    {"store_stays", "", "cycles", "a block has no clock after its last instruction"},
    {"fetch_sectors", "", "sectors", kCounters},
    {"dram_efficiency", "", "", "the rates dram_read, dram_write and dram_copy of [ceilings] take its place"},
    {"l2_line", "traffic", "cycles", "a multiprocessor's, where all read one sector of each line"},
    {"write_line", "traffic", "cycles", "a multiprocessor's, where all write: what a line adds to its sectors"},
    {"write_sector", "traffic", "cycles", "a multiprocessor's, where all write: what a sector takes"},
    {"l2_alone", "traffic", "B/cycle", "one multiprocessor's reads, the others at rest"},
    {"l2_slices", "", "slices", "it follows from the memory's bus"},
    {"l2_lookups_of_write", "", "lookups", kCounters},
    {"l2_lookups_of_launch", "", "lookups", kCounters},
    {"atomic_turn", "", "cycles", "the rate atomic_same of [ceilings] takes its place"},
    {"atomic_float_turn", "traffic", "cycles", "an addition of f32 after another at one word"},
    {"atomic_compare", "traffic", "",
     "turns of a compare-and-swap over those of an addition, at two words of a sector"},
    {"bulk_start", "bulk", "cycles", "16 bytes copied and waited for, less the latency of L2 and of the wait"},
    {"phase", "", "cycles", "an arrival and the wait for it are measured together only"},
    {"bulk_groups", "", "groups", "which multiprocessors are neighbours is not told"},
    {"bulk_merged", "bulk", "", "bytes per cycle of copies that all blocks share, over those that each has alone"},
    {"product_of_warp", "operations", "", "cycles of mma.sync, f16, over those of the data sheet's rate"},
    {"doubles_of_warp", "operations", "", "the same of doubles"},
};

/// The other tables that have what is measured, and their figures that are not.
constexpr std::string_view kTables[] = {"latency", "ceilings", "conflicts", "launches"};
constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
    {"launches.start_us",
     "Nsight Compute's durations have it beyond the cycles of warps, and no clock of ours sees it"},
    {"latency.texture", kTextures},
    {"latency.texture_filter", kTextures},
};

constexpr const char* kNothing = "nothing measures it";

std::string_view why_not(std::string_view figure) {
    for (const auto& [key, why] : kOthers)
        if (key == figure) return why;
    for (const DeepFigure& f : kFigures)
        if (f.group.empty() && figure.starts_with("timing.") && figure.substr(7) == f.key) return f.meaning;
    return {};
}

}  // namespace

std::span<const DeepFigure> deep_figures() { return kFigures; }

Subject deep_subject(const Bench& bench, std::string_view key) {
    const auto* of = std::find_if(std::begin(kFigures), std::end(kFigures), [&](auto& f) { return f.key == key; });
    Subject s{"timing", std::string(key), "timing." + std::string(key), "", 1, {}, "", {}};
    if (of == std::end(kFigures)) return s;
    s.unit = of->unit;
    s.title = of->meaning;
    for (const timing::TakenFigure& f : timing::taken_figures(bench.base()))
        if (f.key == key && f.value > 0) s.sheet = f.value;
    return s;
}

Shape one_block(const std::string& file, const std::string& kernel, std::uint32_t threads,
                std::vector<std::byte> parameters) {
    Shape s;
    s.file = file;
    s.kernel = kernel;
    s.block = threads;
    s.parameters = std::move(parameters);
    return s;
}

Result<std::vector<double>> cycles_each(Bench& b, const Shape& shape, device::Address out, double steps) {
    auto words = b.words(shape, out, 2);
    if (!words) return std::move(words).error();
    std::vector<double> list;
    for (const auto& w : *words) list.push_back(static_cast<double>(w[0]) / steps);
    return list;
}

Result<std::vector<double>> cycles_of_all(Bench& b, const Shape& shape, device::Address out, double steps) {
    const std::uint32_t warps = shape.block / 32;
    auto words = b.words(shape, out, 2 * std::size_t{warps});
    if (!words) return std::move(words).error();
    std::vector<double> list;
    for (const auto& w : *words) {
        std::uint64_t first = w[0], last = w[1];
        for (std::uint32_t i = 0; i < warps; ++i)
            first = std::min(first, w[2 * i]), last = std::max(last, w[2 * i + 1]);
        list.push_back(static_cast<double>(last - first) / steps);
    }
    return list;
}

void say_unmeasured(Bench& b, bool deep, bool in_time) {
    for (const arch::FigureSpec& spec : arch::figure_specs()) {
        const bool timing = spec.table == "timing";
        if (timing ? !deep : std::find(std::begin(kTables), std::end(kTables), spec.table) == std::end(kTables))
            continue;
        const std::string figure = fmt::format("{}.{}", spec.table, spec.key);
        if (b.tried(figure)) continue;
        const Subject subject =
            timing ? deep_subject(b, spec.key)
                   : Subject{std::string(spec.table), std::string(spec.key), figure, "", spec.scale, {}, "", {}};
        const std::string_view why = why_not(figure);
        b.leave_out(subject, !why.empty() ? std::string(why) : in_time ? kNothing : kNoTime);
    }
}

}  // namespace warpwright::measure
