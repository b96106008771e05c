// Latencies by the multiprocessor's own clock: pointer chases through each level, atomics, arithmetic, barriers; and
// the rate of that clock.
#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {
namespace {

constexpr std::uint64_t kKiB = 1024;
const std::string kGroup = "latency";

/// Cycles per step of a kernel that writes { cycles, ... }.
Result<std::vector<double>> cycles(Bench& b, const Shape& shape, device::Address out, double steps) {
    auto words = b.words(shape, out, 2);
    if (!words) return std::move(words).error();
    std::vector<double> list;
    for (const auto& w : *words) list.push_back(static_cast<double>(w[0]) / steps);
    return list;
}

Shape one_thread(const std::string& file, const std::string& kernel, std::vector<std::byte> parameters) {
    Shape s;
    s.file = file;
    s.kernel = kernel;
    s.parameters = std::move(parameters);
    return s;
}

std::string size_text(std::uint64_t bytes) {
    if (bytes >= kKiB * kKiB) return fmt::format("{} MiB", bytes / kKiB / kKiB);
    return bytes >= kKiB ? fmt::format("{} KiB", bytes / kKiB) : fmt::format("{} B", bytes);
}

/// A chase through memory that no cache holds: other data has been written since the table was, and each launch
/// continues where the previous one ended.
Result<std::vector<double>> cold_chase(Bench& b, const std::string& kernel, device::Address start, device::Address out,
                                       std::uint32_t hops) {
    auto other = b.buffer(2 * b.base().cache.l2);
    if (!other) return std::move(other).error();
    if (auto ok = b.device().fill(other->at(), 0, other->bytes()); !ok) return std::move(ok).error();
    std::vector<double> list;
    for (int i = 0; i < 8; ++i) {
        auto words = b.words(one_thread("chase.cu", kernel, pack(start, 0u, hops, out)), out, 2, 0);
        if (!words) return std::move(words).error();
        start = words->front()[1];
        if (i > 0) list.push_back(static_cast<double>(words->front()[0]) / hops);
    }
    return list;
}

/// One working set, lines of 128 bytes. `kernel` is chase_l1 (through L1) or chase_l2 (past it).
void chase(Bench& b, const std::string& kernel, std::uint64_t bytes, const std::string& figure,
           std::optional<double> sheet) {
    const bool l1 = kernel == "chase_l1";
    const Subject subject{
        kGroup,
        l1 ? "load" : "load, past L1",
        figure,
        "cycles",
        1,
        sheet,
        l1 ? "a load after a load, one thread, lines of 128 bytes" : "the same with loads that L1 does not keep (.cg)",
        {{"working set", size_text(bytes)}}};
    constexpr std::uint32_t stride = 16;  // words of 8 bytes
    const auto lines = static_cast<std::uint32_t>(bytes / 128);
    auto table = b.buffer(bytes);
    if (!table) return b.leave_out(subject, table.error().text());
    auto out = b.buffer(24);
    if (!out) return b.leave_out(subject, out.error().text());
    if (auto ok = b.launch("chase.cu", "chase_fill", 4 * b.multiprocessors(), 256,
                           pack(table->at(), lines, stride, 1664525u, 1013904223u));
        !ok)
        return b.leave_out(subject, ok.error().text());
    const std::uint32_t hops = b.turns(4096, 8);
    if (bytes <= 2 * b.base().cache.l2)  // data that a cache can hold has been read once before
        return b.take(
            subject,
            cycles(b, one_thread("chase.cu", kernel, pack(table->at(), lines, hops, out->at())), out->at(), hops),
            true);
    b.take(subject, cold_chase(b, kernel, table->at(), out->at(), hops), true);
}

/// Working sets from 4 KiB to far beyond L2; the plateaus are the levels' figures.
std::vector<Part> chases() {
    std::vector<Part> out;
    for (std::uint64_t bytes = 4 * kKiB; bytes <= 1024 * kKiB; bytes *= 2)
        out.emplace_back("latency, " + size_text(bytes), [bytes](Bench& b) {
            if (bytes > 4 * std::max<std::uint64_t>(b.base().cache.l1, 64 * kKiB)) return;
            const bool figure = bytes == 16 * kKiB;
            chase(b, "chase_l1", bytes, figure ? "latency.l1" : "",
                  figure ? std::optional(b.base().latency.l1) : std::nullopt);
        });
    for (std::uint64_t bytes = 64 * kKiB; bytes <= 4 * kKiB * kKiB * kKiB; bytes *= 4)
        out.emplace_back("latency past L1, " + size_text(bytes), [bytes](Bench& b) {
            const auto& m = b.base();
            const std::uint64_t l2 = std::max<std::uint64_t>(m.cache.l2, kKiB * kKiB);
            if (bytes > m.memory.size / 4 || (b.options().work < 1 && bytes > 4 * kKiB * kKiB)) return;
            // The largest set that fits a quarter of L2, and the smallest of at least four times L2.
            const bool near = bytes <= l2 / 4 && bytes * 4 > l2 / 4, far = bytes >= 4 * l2 && bytes / 4 < 4 * l2;
            chase(b, "chase_l2", bytes,
                  near  ? "latency.l2"
                  : far ? "latency.memory"
                        : "",
                  near  ? std::optional(m.latency.l2)
                  : far ? std::optional(m.latency.memory)
                        : std::nullopt);
        });
    return out;
}

void constants(Bench& b) {
    const auto subject = [](std::uint32_t bytes) {
        return Subject{kGroup, "constant", bytes == 256 ? "latency.constant" : "", "cycles",
                       1,      {},         "a constant after a constant",          {{"working set", size_text(bytes)}}};
    };
    auto module = b.module("chase.cu");
    if (!module) return b.leave_out(subject(256), module.error().text());
    auto table = (*module)->variable("constants");
    if (!table) return b.leave_out(subject(256), table.error().text());
    auto out = b.buffer(24);
    if (!out) return b.leave_out(subject(256), out.error().text());
    constexpr std::uint32_t step = 16;  // words: a line of 64 bytes
    for (std::uint32_t words : {64u, 256u, 1024u, 16384u}) {
        std::vector<std::uint32_t> next(16384);
        for (std::uint32_t i = 0; i < words; ++i) next[i] = (i + step) % words;
        if (auto ok = b.device().write(table->first, std::as_bytes(std::span(next))); !ok) {
            b.leave_out(subject(words * 4), ok.error().text());
            continue;
        }
        const std::uint32_t hops = b.turns(2048, 8);
        b.take(subject(words * 4),
               cycles(b, one_thread("chase.cu", "chase_constant", pack(2 * words / step, hops, out->at())), out->at(),
                      hops),
               true);
    }
}

void others(Bench& b) {
    const auto subject = [&](const std::string& name, const std::string& figure, std::optional<double> sheet,
                             const std::string& title) {
        return Subject{kGroup, name, figure, "cycles", 1, sheet, title, {}};
    };
    const Subject global = subject("atomic, global", "latency.atomic_global", {}, "an atomic addition after another"),
                  shared = subject("atomic, shared", "latency.atomic_shared", {}, "the same in shared memory"),
                  fma = subject("multiply-add", "latency.arithmetic", b.base().latency.arithmetic,
                                "fma.rn.f32 after another");
    auto cell = b.buffer(64), out = b.buffer(64);
    if (!cell || !out) {
        for (const Subject& s : {global, shared, fma}) b.leave_out(s, (cell ? out : cell).error().text());
        return;
    }
    const std::uint32_t hops = b.turns(2048, 8), turns = b.turns(64);
    b.take(global,
           cycles(b, one_thread("chase.cu", "chase_atomic", pack(cell->at(), hops, out->at())), out->at(), hops), true);
    b.take(shared, cycles(b, one_thread("chase.cu", "chase_atomic_shared", pack(hops, out->at())), out->at(), hops),
           true);
    Shape s = one_thread("arithmetic.cu", "fma_latency", pack(1.0f, 1.0f, turns, out->at()));
    s.block = 32;
    b.take(fma, cycles(b, s, out->at(), 64.0 * turns), true);
    for (std::uint32_t block : {32u, 128u, 256u, 512u, 1024u}) {
        Subject barrier =
            subject("barrier", block == 1024 ? "latency.barrier" : "", {}, "a block's barrier after another");
        barrier.axes = {{"threads", std::int64_t{block}}};
        Shape k = one_thread("launch.cu", "barrier", pack(hops, out->at()));
        k.block = block;
        b.take(barrier, cycles(b, k, out->at(), hops), true);
    }
}

void clock_rate(Bench& b) {
    const Subject subject{
        "clock", "multiprocessor", "", "Hz", 1, b.base().clocks.bound, "clock64 over globaltimer, one thread busy", {}};
    auto out = b.buffer(16);
    if (!out) return b.leave_out(subject, out.error().text());
    const std::uint64_t wanted = std::uint64_t{b.turns(10000000)};
    auto words =
        b.words(one_thread("launch.cu", "clock_rate", pack(wanted, std::uint32_t{1} << 30, out->at())), out->at(), 2);
    if (!words) return b.leave_out(subject, words.error().text());
    std::vector<double> rates;
    for (const auto& w : *words)
        if (w[1] > 0) rates.push_back(1e9 * static_cast<double>(w[0]) / static_cast<double>(w[1]));
    b.at_clock(summarise(rates).median);
    b.take(subject, rates, false);
}

}  // namespace

std::vector<Part> clock_parts() { return {{"clock", clock_rate}}; }

std::vector<Part> latency_parts() {
    std::vector<Part> out = chases();
    out.emplace_back("latency of constants", constants);
    out.emplace_back("latency of atomics, arithmetic, barriers", others);
    return out;
}

}  // namespace warpwright::measure
