// The way to the second level: lines read in part, packets of writes, one multiprocessor alone, atomics at a word; and
// bulk copies.
#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings/deep.hpp"
#include "measure/ceilings/fit.hpp"

namespace warpwright::measure {
namespace {

constexpr std::uint64_t kLine = 128, kMiB = 1 << 20;

using Samples = Result<std::vector<double>>;

/// A working set of lines, a power of two, within a quarter of the second level.
std::uint32_t lines_in_l2(Bench& b) {
    const std::uint64_t most = std::max<std::uint64_t>(b.base().cache.l2, kMiB) / 4;
    std::uint32_t lines = 1024;
    while (2 * lines * kLine <= most) lines *= 2;
    return lines;
}

/// A kernel of the whole device, and how many cycles of a multiprocessor each of its `amount` takes.
Samples cycles_of_device(Bench& b, Shape s, double amount_of_thread) {
    s.file = "traffic.cu";
    s.block = 512;
    s.grid = 4 * b.multiprocessors();
    const double amount = amount_of_thread * s.grid * s.block;
    auto seconds = b.seconds(s);
    if (!seconds) return std::move(seconds).error();
    return scaled_less(*seconds, b.base().clocks.bound * b.multiprocessors() / amount, 0);
}

void read_lines(Bench& b) {
    const Subject subject = deep_subject(b, "l2_line");
    const std::uint32_t lines = lines_in_l2(b), times = b.turns(256, 8);
    auto in = b.buffer(lines * kLine), out = b.buffer(std::uint64_t{b.multiprocessors()} * 2048 * 4);
    if (!in || !out) return b.leave_out(subject, (in ? out : in).error().text());
    if (auto ok = b.device().fill(in->at(), 0, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    Shape s;
    s.kernel = "read_lines";
    s.parameters = pack(in->at(), lines, times, out->at());
    b.take(subject, cycles_of_device(b, s, times), true, fmt::format("{} lines", lines));
}

/// Cycles for each sector over one by the sectors of its line: a line's part is the slope, a sector's the rest.
void write_packets(Bench& b) {
    const Subject line = deep_subject(b, "write_line"), sector = deep_subject(b, "write_sector");
    const auto fail = [&](const std::string& why) {
        b.leave_out(line, why);
        b.leave_out(sector, why);
    };
    const std::uint32_t lines = lines_in_l2(b), times = b.turns(256, 8);
    auto to = b.buffer(lines * kLine);
    if (!to) return fail(to.error().text());
    std::vector<double> x;
    std::vector<std::vector<double>> cycles;
    for (std::uint32_t of_line : {1u, 2u, 4u}) {
        Shape s;
        s.kernel = "write_sectors";
        s.parameters = pack(to->at(), lines, of_line, times);
        auto each = cycles_of_device(b, s, times);
        if (!each) return fail(each.error().text());
        x.push_back(1.0 / of_line);
        cycles.push_back(std::move(*each));
    }
    const auto fitted = fit_lines(x, cycles);
    b.take(line, slopes(fitted), true, "writes of 1, 2 and 4 sectors of each line");
    b.take(sector, intercepts(fitted), true, "writes of 1, 2 and 4 sectors of each line");
}

void alone(Bench& b) {
    const Subject subject = deep_subject(b, "l2_alone");
    const std::uint64_t bytes = std::uint64_t{lines_in_l2(b)} * kLine;
    const std::uint32_t passes = b.turns(8);
    auto in = b.buffer(bytes), out = b.buffer(4096);
    if (!in || !out) return b.leave_out(subject, (in ? out : in).error().text());
    if (auto ok = b.device().fill(in->at(), 0, bytes); !ok) return b.leave_out(subject, ok.error().text());
    Shape s = one_block("global.cu", "read_8", 1024, pack(in->at(), bytes / 16, passes, out->at()));
    auto seconds = b.seconds(s);
    if (!seconds) return b.leave_out(subject, seconds.error().text());
    std::vector<double> rates;
    for (double t : *seconds) rates.push_back(1.0 * bytes * passes / t / b.base().clocks.bound);
    b.take(subject, rates, false, "one block of 1024 threads, 8 accesses of 16 bytes in flight per thread");
}

/// The share by which the slowest multiprocessor's way to the second level is longer than the median one's.
void farther(Bench& b) {
    const Subject subject = deep_subject(b, "farther");
    constexpr std::uint32_t lines = 4096;  // 512 KiB: beyond the first level, far within the second
    const std::uint32_t blocks = b.multiprocessors(), hops = b.turns(2048, 8);
    auto table = b.buffer(lines * kLine), out = b.buffer(std::uint64_t{16} * blocks);
    if (!table || !out) return b.leave_out(subject, (table ? out : table).error().text());
    // The order of a linear congruence of full period: an increment that is odd, and a multiplier that is 1 modulo 4.
    auto filled = b.launch("chase.cu", "chase_fill", 16, 256, pack(table->at(), lines, 16u, 1664525u, 1013904223u));
    if (!filled) return b.leave_out(subject, filled.error().text());
    Shape s = one_block("traffic.cu", "chase_everywhere", 1, pack(table->at(), hops, out->at()));
    s.grid = blocks;
    s.shared = b.base().limits.shared_per_block_optin;  // one block at a multiprocessor
    auto words = b.words(s, out->at(), blocks);
    if (!words) return b.leave_out(subject, words.error().text());
    std::vector<double> shares;
    for (const auto& w : *words) {
        const std::vector<double> cycles(w.begin(), w.end());
        const Statistics all = summarise(cycles);
        if (all.median > 0) shares.push_back(*std::max_element(cycles.begin(), cycles.end()) / all.median - 1);
    }
    b.take(subject, shares, true, "a chase of one thread on each multiprocessor");
}

void atomics(Bench& b) {
    const Subject floats = deep_subject(b, "atomic_float_turn"), compare = deep_subject(b, "atomic_compare");
    auto words = b.buffer(256), out = b.buffer(std::uint64_t{b.multiprocessors()} * 2048 * 4);
    if (!words || !out || !b.device().fill(words->at(), 0, 256)) {
        for (const Subject& s : {floats, compare}) b.leave_out(s, "there is no memory for the words");
        return;
    }
    const std::uint32_t times = b.turns(64), one = 1, two = 2;
    const auto timed = [&](const std::string& file, const char* kernel, std::vector<std::byte> parameters) -> Samples {
        Shape s = one_block(file, kernel, 512, std::move(parameters));
        s.grid = 4 * b.multiprocessors();
        auto seconds = b.seconds(s);
        if (!seconds) return std::move(seconds).error();
        return scaled_less(*seconds, b.base().clocks.bound / (double{1} * s.grid * s.block * times), 0);
    };
    b.take(floats, timed("traffic.cu", "atomic_float", pack(words->at(), one, times)), true, "all lanes at one word");
    if (auto ok = b.device().fill(words->at(), 0, 256); !ok) return b.leave_out(compare, ok.error().text());
    const Samples add = timed("atomic.cu", "atomic_global", pack(words->at(), two, times));
    const Samples swap = timed("traffic.cu", "atomic_compare", pack(words->at(), two, times, out->at()));
    if (!add || !swap) return b.leave_out(compare, (add ? swap : add).error().text());
    const double of_add = summarise(*add).median;
    if (!(of_add > 0)) return b.leave_out(compare, "the device gave no time for it");
    b.take(compare, scaled_less(*swap, 1 / of_add, 0), true, "lanes at two words of a sector");
}

/// A chain of small copies: what it takes beyond the latency of the second level, and the wait for a phase, which the
/// model has as figures of their own.
void bulk_start(Bench& b) {
    const Subject subject = deep_subject(b, "bulk_start"),
                  phase{"timing",
                        "arrival and wait",
                        "",
                        "cycles",
                        1,
                        {},
                        "an arrival at an mbarrier and the wait for the phase that it ends",
                        {}};
    constexpr std::uint32_t places = 256;
    constexpr std::uint64_t apart = 4096;
    auto in = b.buffer(places * apart), out = b.buffer(64);
    if (!in || !out) return b.leave_out(subject, (in ? out : in).error().text());
    if (auto ok = b.device().fill(in->at(), 0, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    const std::uint32_t times = b.turns(512);
    const auto chain = [&](std::uint32_t bytes) {
        Shape s = one_block("wait.cu", "bulk_chain", 1, pack(in->at(), bytes, apart, places, times, out->at()));
        s.defines = {"BULK"};
        return cycles_each(b, s, out->at(), times);
    };
    b.take(phase, chain(0), true);
    const Samples copies = chain(16);
    if (!copies) return b.leave_out(subject, copies.error().text());
    const double l2 = b.measured("latency.l2").value_or(b.base().latency.l2);
    const double wait = deep_subject(b, "phase").sheet.value_or(0);
    b.take(
        subject, scaled_less(*copies, 1, l2 + wait), true,
        fmt::format("copies of 16 bytes, each waited for, less {:.0f} cycles of L2 and {:.0f} of the wait", l2, wait));
}

void bulk_merged(Bench& b) {
    const Subject subject = deep_subject(b, "bulk_merged");
    constexpr std::uint32_t piece = 16384, stages = 4;
    const std::uint32_t blocks = b.multiprocessors(), count = b.turns(512, stages);
    const auto pieces =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, b.base().cache.l2 / 2 / std::max(1u, blocks) / piece));
    auto in = b.buffer(std::uint64_t{blocks} * pieces * piece), out = b.buffer(std::uint64_t{16} * blocks);
    if (!in || !out) return b.leave_out(subject, (in ? out : in).error().text());
    if (auto ok = b.device().fill(in->at(), 0, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    std::vector<std::vector<double>> rates;
    for (std::uint32_t sharers : {1u, blocks}) {  // which multiprocessors are neighbours is not told: all of them
        Shape s = one_block("wait.cu", "bulk_row", 1, pack(in->at(), pieces, sharers, count, out->at()));
        s.defines = {"BULK"};
        s.grid = blocks;
        s.shared = std::uint64_t{piece} * stages;
        auto words = b.words(s, out->at(), blocks);
        if (!words) return b.leave_out(subject, words.error().text());
        rates.emplace_back();
        for (const auto& w : *words) {
            std::vector<double> cycles(w.begin(), w.end());
            rates.back().push_back(1.0 * count * piece / std::max(1.0, summarise(cycles).median));
        }
    }
    b.take(subject, scaled_less(rates[1], 1 / summarise(rates[0]).median, 0), false,
           "pieces of 16 KiB, four under way, out of L2");
}

/// Bulk copies are there from compute capability 9.0 on.
void bulk(Bench& b) {
    if (b.capability() >= 90) {
        bulk_start(b);
        return bulk_merged(b);
    }
    for (const char* key : {"bulk_start", "bulk_merged"})
        b.leave_out(deep_subject(b, key), "no bulk copies on this compute capability");
}

}  // namespace

std::vector<Part> traffic_parts() {
    return {{"lines of L2 read in part", read_lines},
            {"packets of writes", write_packets},
            {"one multiprocessor alone", alone},
            {"the farthest multiprocessor", farther},
            {"atomics that wait for each other", atomics}};
}

std::vector<Part> bulk_parts() { return {{"bulk copies", bulk}}; }

}  // namespace warpwright::measure
