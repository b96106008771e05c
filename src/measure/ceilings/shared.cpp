// Shared memory: its rate, and the cost of bank conflicts: the latency of a load by the stride between its lanes, and
// the cycles per request when the multiprocessor is full of them.
#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {
namespace {

const std::string kGroup = "shared";

void rates(Bench& b) {
    auto out = b.buffer(16 << 20);
    for (const std::string kernel : {"shared_read", "shared_write"}) {
        const Subject subject{kGroup,
                              kernel,
                              "ceilings." + kernel,
                              "B/s",
                              1,
                              b.base().shared_bandwidth(),
                              "16 bytes per lane, no conflicts",
                              {}};
        if (!out) {
            b.leave_out(subject, out.error().text());
            continue;
        }
        std::vector<Shape> shapes;
        for (auto [block, each] : {std::pair{256u, 1u}, {512u, 1u}, {1024u, 1u}, {512u, 2u}, {1024u, 2u}}) {
            const std::uint32_t accesses = b.turns(4096, 8);
            Shape s;
            s.file = "shared.cu";
            s.kernel = kernel;
            s.grid = each * b.multiprocessors();
            s.block = block;
            s.parameters = pack(accesses, out->at());
            s.amount = 16.0 * s.grid * block * accesses;
            shapes.push_back(std::move(s));
        }
        b.rate(subject, shapes);
    }
}

/// The figure of the conflicts to which a stride belongs: 2^i ways.
std::string figure_of(std::uint32_t stride, const std::string& kind) {
    return stride <= 32 && (stride & (stride - 1)) == 0 ? fmt::format("conflicts.{}_{}", kind, stride) : std::string();
}

/// A stride's common divisor with the 32 banks: this many lanes use the same bank.
std::uint32_t ways(std::uint32_t stride) {
    std::uint32_t g = 1;
    while (g < 32 && stride % (2 * g) == 0) g *= 2;
    return g;
}

void strides(Bench& b, const std::string& kernel) {
    const bool latency = kernel == "shared_latency";
    auto out = b.buffer(2048);
    for (std::uint32_t stride = 1; stride <= 64; ++stride) {
        // The throughput at each number of ways; the latency at each stride, as the texts plot it.
        if (!latency && ((stride & (stride - 1)) != 0 || stride > 32)) continue;
        const std::optional<double> sheet =
            latency && stride == 1 ? std::optional(b.base().latency.shared) : std::nullopt;
        const Subject subject{kGroup,
                              latency ? "load, one warp" : "load, full",
                              figure_of(stride, latency ? "latency" : "cycles"),
                              "cycles",
                              1,
                              sheet,
                              latency ? "a load after a load, lanes that many words apart"
                                      : "cycles per request of a full multiprocessor, lanes that many words apart",
                              {{"stride", std::int64_t{stride}}, {"ways", std::int64_t{ways(stride)}}}};
        if (!out) {
            b.leave_out(subject, out.error().text());
            continue;
        }
        const std::uint32_t loads = b.turns(1024, 8), warps = latency ? 1 : 32;
        Shape s;
        s.file = "shared.cu";
        s.kernel = kernel;
        s.block = 32 * warps;
        s.parameters = pack(stride, loads, out->at());
        auto words = b.words(s, out->at(), latency ? 2 : 2 * warps, latency ? 7 : 5);
        if (!words) {
            b.leave_out(subject, words.error().text());
            continue;
        }
        std::vector<double> list;
        for (const auto& w : *words) {
            std::uint64_t cycles = w[0];
            if (!latency) {
                std::uint64_t first = w[0], last = w[1];
                for (std::uint32_t i = 0; i < warps; ++i)
                    first = std::min(first, w[2 * i]), last = std::max(last, w[2 * i + 1]);
                cycles = last - first;
            }
            list.push_back(static_cast<double>(cycles) / loads / warps);
        }
        b.take(subject, list, true);
        if (latency && stride == 1) {  // the same figure as that level's latency
            Subject level = subject;
            level.figure = "latency.shared";
            level.name = "load, one warp, no conflicts";
            level.axes.clear();
            b.take(level, list, true);
        }
    }
}

}  // namespace

std::vector<Part> shared_parts() {
    return {{"shared memory, rates", rates},
            {"shared memory, latency by stride", [](Bench& b) { strides(b, "shared_latency"); }},
            {"shared memory, conflicts at full load", [](Bench& b) { strides(b, "shared_throughput"); }}};
}

}  // namespace warpwright::measure
