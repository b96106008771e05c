// Rates of global memory, L2, L1 and atomic operations.
#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * 1024, kGiB = 1024 * kMiB;
const std::string kGroup = "memory";

std::uint64_t power_below(std::uint64_t n) {
    std::uint64_t p = 1;
    while (p <= n / 2) p *= 2;
    return p;
}

Subject bytes_a_second(const std::string& name, const std::string& title, std::optional<double> sheet) {
    return {kGroup, name, "ceilings." + name, "B/s", 1, sheet, title, {}};
}

std::string size_text(std::uint64_t bytes) {
    return bytes >= kMiB ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} KiB", bytes / kKiB);
}

/// Far beyond L2, so that data left from the previous pass does not matter.
std::uint64_t far_beyond_l2(Bench& b) {
    const std::uint64_t l2 = std::max<std::uint64_t>(b.base().cache.l2, kMiB);
    const double wanted = std::min<double>(4.0 * kGiB * b.options().work, b.base().memory.size / 8.0);
    return power_below(
        std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 8 * l2 * b.options().work + 64 * kKiB));
}

/// For `kernel`_1 to _8: whole tiles only, at least one per block. With `tiles_too`, also grids of one block per tile.
template <class Make>
std::vector<Shape> tiled(Bench& b, const std::string& kernel, std::uint64_t bytes, Make parameters, double moves,
                         bool tiles_too) {
    std::vector<Shape> out;
    for (std::uint32_t loads : {1u, 2u, 4u, 8u})
        for (auto [block, each] :
             {std::pair{512u, 4u}, {1024u, 1u}, {1024u, 2u}, {256u, 0u}, {512u, 0u}, {1024u, 0u}}) {
            if (loads == 1 && each != 0) continue;  // too little in flight
            const std::uint64_t tiles = bytes / 16 / block / loads;
            if (tiles == 0 || (each == 0 && !tiles_too)) continue;
            std::uint64_t grid = each == 0 ? tiles : std::uint64_t{each} * b.multiprocessors();
            Shape s;
            s.file = "global.cu";
            s.kernel = fmt::format("{}_{}", kernel, loads);
            s.grid = static_cast<std::uint32_t>(std::min(grid, tiles));
            s.block = block;
            s.parameters = parameters(bytes / 16);
            s.amount = moves * static_cast<double>(tiles * block * loads * 16);
            s.text = fmt::format("{} accesses of 16 bytes in flight per thread, {}", loads, size_text(bytes));
            out.push_back(std::move(s));
        }
    return out;
}

/// The output of reading kernels: a word per thread of the largest grid.
constexpr std::uint64_t kOut = 16 * kMiB;

void dram_read(Bench& b) {
    const Subject subject = bytes_a_second("dram_read", "global memory, read", b.base().memory.bandwidth);
    auto in = b.largest(far_beyond_l2(b), 2 * b.base().cache.l2);
    if (!in) return b.leave_out(subject, in.error().text());
    auto out = b.buffer(kOut);
    if (!out) return b.leave_out(subject, out.error().text());
    if (auto ok = b.device().fill(in->at(), 0x5a, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    std::vector<Shape> shapes = tiled(
        b, "read", in->bytes(), [&](std::uint64_t pieces) { return pack(in->at(), pieces, 1u, out->at()); }, 1, false);
    if (b.capability() >= 90)
        for (auto [piece, stages] : {std::pair{16384u, 4u}, {16384u, 8u}, {32768u, 4u}, {32768u, 6u}})
            for (std::uint32_t each : {1u, 2u}) {
                Shape s;
                s.file = "bulk.cu";
                s.kernel = "read_bulk";
                s.defines = {fmt::format("PIECE={}", piece), fmt::format("STAGES={}", stages)};
                s.shared = std::uint64_t{piece} * stages;
                if (each * (s.shared + 2 * kKiB) > b.base().limits.shared_per_sm) continue;
                const std::uint64_t pieces = in->bytes() / piece;
                if (pieces == 0) continue;
                s.grid = each * b.multiprocessors();
                s.block = 512;
                s.parameters = pack(in->at(), pieces, out->at());
                s.amount = static_cast<double>(pieces * piece);
                s.text = fmt::format("bulk copies, {} of {} in flight per block, {}", stages, size_text(piece),
                                     size_text(in->bytes()));
                shapes.push_back(std::move(s));
            }
    b.rate(subject, shapes);
}

void dram_write(Bench& b) {
    const Subject subject = bytes_a_second("dram_write", "global memory, write", b.base().memory.bandwidth);
    auto out = b.largest(far_beyond_l2(b), 2 * b.base().cache.l2);
    if (!out) return b.leave_out(subject, out.error().text());
    b.rate(subject, tiled(
                        b, "write", out->bytes(),
                        [&](std::uint64_t pieces) { return pack(out->at(), pieces, 0x5a5a5a5au); }, 1, true));
}

void dram_copy(Bench& b) {
    const Subject subject =
        bytes_a_second("dram_copy", "global memory, copy (read and written bytes together)", b.base().memory.bandwidth);
    auto in = b.largest(far_beyond_l2(b), 2 * b.base().cache.l2);
    if (!in) return b.leave_out(subject, in.error().text());
    auto out = b.buffer(in->bytes());
    if (!out) return b.leave_out(subject, out.error().text());
    if (auto ok = b.device().fill(in->at(), 0x5a, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    b.rate(subject, tiled(
                        b, "copy", in->bytes(), [&](std::uint64_t pieces) { return pack(in->at(), pieces, out->at()); },
                        2, true));
}

void l2_read(Bench& b) {
    const Subject subject = bytes_a_second("l2_read", "L2, read", b.base().cache.l2_bandwidth);
    if (b.base().cache.l2 == 0) return b.leave_out(subject, "the model has no size of L2");
    auto in = b.buffer(b.base().cache.l2);
    if (!in) return b.leave_out(subject, in.error().text());
    auto out = b.buffer(kOut);
    if (!out) return b.leave_out(subject, out.error().text());
    if (auto ok = b.device().fill(in->at(), 0x5a, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    std::vector<Shape> all;
    for (std::uint64_t part : {8, 4, 2}) {
        std::vector<Shape> shapes;
        const std::uint64_t bytes = power_below(in->bytes() / part);
        const std::uint32_t passes = b.turns(static_cast<std::uint32_t>(512 * kMiB / bytes));
        for (Shape& s : tiled(
                 b, "read", bytes, [&](std::uint64_t pieces) { return pack(in->at(), pieces, passes, out->at()); },
                 passes, false))
            shapes.push_back(std::move(s));
        Subject one = subject;
        one.figure.clear();
        one.axes = {{"working set", size_text(bytes)}};
        b.rate(one, shapes);
        all.insert(all.end(), shapes.begin(), shapes.end());
    }
    b.rate(subject, all);
}

void l1_read(Bench& b) {
    const auto& m = b.base();
    const Subject subject =
        bytes_a_second("l1_read", "L1, read", m.cache.l1_bandwidth * m.sm.multiprocessors * m.clocks.bound);
    if (m.cache.l1 == 0) return b.leave_out(subject, "the model has no size of L1");
    std::vector<Shape> shapes;
    auto in = b.buffer(std::uint64_t{128} * kKiB * b.multiprocessors());
    if (!in) return b.leave_out(subject, in.error().text());
    auto out = b.buffer(kOut);
    if (!out) return b.leave_out(subject, out.error().text());
    if (auto ok = b.device().fill(in->at(), 0x5a, in->bytes()); !ok) return b.leave_out(subject, ok.error().text());
    for (std::uint32_t kib : {32u, 64u, 128u})
        for (std::uint32_t block : {256u, 512u, 1024u}) {
            const std::uint32_t window = kib * 64, passes = b.turns(8192 / kib);
            if (window % (4 * block) != 0 || kib * kKiB > b.base().cache.l1 / 2) continue;
            Shape s;
            s.file = "global.cu";
            s.kernel = "read_l1";
            s.grid = b.multiprocessors();
            s.block = block;
            s.parameters = pack(in->at(), window, passes, out->at());
            s.amount = 1.0 * s.grid * kib * kKiB * passes;
            s.text = fmt::format("{} KiB a block", kib);
            shapes.push_back(std::move(s));
        }
    b.rate(subject, shapes);
}

void atomics(Bench& b) {
    const std::uint32_t most = std::uint32_t{4} << 20;
    auto words = b.buffer(std::uint64_t{most} * 4);
    const auto subject = [&](const std::string& name, const std::string& title) {
        return Subject{kGroup, name, "ceilings." + name, "op/s", 1, {}, title, {}};
    };
    const Subject apart = subject("atomic_global", "atomic additions to words of a lane each"),
                  same = subject("atomic_same", "atomic additions to one word"),
                  shared = subject("atomic_shared", "atomic additions in shared memory, words of a lane each");
    if (!words) {
        for (const Subject& s : {apart, same, shared}) b.leave_out(s, words.error().text());
        return;
    }
    const auto shape = [&](const char* kernel, std::uint32_t block, std::uint32_t times,
                           std::vector<std::byte> parameters) {
        Shape s;
        s.file = "atomic.cu";
        s.kernel = kernel;
        s.grid = b.multiprocessors() * (2048 / block);
        s.block = block;
        s.parameters = std::move(parameters);
        s.amount = 1.0 * s.grid * block * times;
        return s;
    };
    std::vector<Shape> shapes;
    const std::uint32_t times = b.turns(64);
    for (std::uint32_t cells : {32u << 10, 256u << 10, most})
        for (std::uint32_t block : {256u, 1024u}) {
            shapes.push_back(shape("atomic_global", block, times, pack(words->at(), cells, times)));
            shapes.back().text = fmt::format("{} words", cells);
        }
    b.rate(apart, shapes);
    b.rate(same, {shape("atomic_global", 1024, times, pack(words->at(), 1u, times))});
    const std::uint32_t more = b.turns(256);
    b.rate(shared, {shape("atomic_shared", 1024, more, pack(1024u, more, words->at()))});
}

}  // namespace

std::vector<Part> memory_parts() {
    return {{"global memory, read", dram_read},
            {"global memory, write", dram_write},
            {"global memory, copy", dram_copy},
            {"L2, read", l2_read},
            {"L1, read", l1_read},
            {"atomic operations", atomics}};
}

}  // namespace warpwright::measure
