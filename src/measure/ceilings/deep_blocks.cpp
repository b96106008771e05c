// What the device does for blocks: hands them out, lets them wait for each other, fetches their instructions.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "measure/ceilings/deep.hpp"
#include "measure/ceilings/fit.hpp"

namespace warpwright::measure {
namespace {

/// From a block's end to the begin of the one that gets its place, the median of a launch: { multiprocessor, begin } of
/// blocks that stay for `stay` cycles, of which a multiprocessor has room for `places`. Those that began first end
/// first.
std::optional<double> gap_of(const std::vector<std::uint64_t>& words, std::uint64_t stay, std::size_t places) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> begins;
    for (std::size_t k = 0; k + 1 < words.size(); k += 2) begins[words[k]].push_back(words[k + 1]);
    std::vector<double> gaps;
    for (auto& [where, list] : begins) {
        std::sort(list.begin(), list.end());
        for (std::size_t k = places; k < list.size(); ++k)
            gaps.push_back(static_cast<double>(list[k] - list[k - places]) - static_cast<double>(stay));
    }
    if (gaps.empty()) return std::nullopt;
    return summarise(gaps).median;
}

/// Blocks of one warp, as many at a time as a multiprocessor takes, or one that has all of its shared memory.
void block_start(Bench& b, const Subject& subject, std::uint32_t places) {
    constexpr std::uint64_t stay = 20000;  // longer than handing out the first blocks takes, and than their writes
    const std::uint32_t blocks = 4 * places * b.multiprocessors();
    auto out = b.buffer(std::uint64_t{16} * blocks);
    if (!out) return b.leave_out(subject, out.error().text());
    Shape s = one_block("wait.cu", "blocks_in_turn", 32, pack(stay, b.turns(1 << 20), out->at()));
    s.grid = blocks;
    if (places == 1) s.shared = b.base().limits.shared_per_block_optin;
    auto words = b.words(s, out->at(), 2 * std::size_t{blocks});
    if (!words) return b.leave_out(subject, words.error().text());
    std::vector<double> gaps;
    for (const auto& w : *words)
        if (const auto gap = gap_of(w, stay, places)) gaps.push_back(*gap);
    if (gaps.empty()) return b.leave_out(subject, "no multiprocessor had a block after another");
    b.take(subject, gaps, true, fmt::format("blocks of one warp that stay for {} cycles, {} at a time", stay, places));
}

void block_starts(Bench& b) {
    block_start(b, deep_subject(b, "block_start"), std::max(1u, b.base().limits.blocks_per_sm));
    Subject alone = deep_subject(b, "block_start");
    alone.figure.clear(), alone.name = "block_start, all shared memory";
    block_start(b, alone, 1);
}

/// The slope of an empty kernel's time over its blocks.
void block_interval(Bench& b) {
    const Subject subject = deep_subject(b, "block_interval");
    std::vector<double> x;
    std::vector<std::vector<double>> seconds;
    for (std::uint32_t blocks : {1u << 16, 1u << 17, 1u << 18}) {
        Shape s = one_block("launch.cu", "empty", 32, {});
        s.grid = b.turns(blocks);
        auto times = b.seconds(s);
        if (!times) return b.leave_out(subject, times.error().text());
        x.push_back(s.grid);
        seconds.push_back(std::move(*times));
    }
    b.take(subject, scaled_less(slopes(fit_lines(x, seconds)), b.base().clocks.bound, 0), true,
           "empty kernels of 65536 to 262144 blocks of a warp");
}

/// A line through the cycles of barriers by the block's warps. Of each warp's part the scheduler's issue is the model's
/// own.
void barriers(Bench& b) {
    const Subject alone = deep_subject(b, "barrier"), of_warp = deep_subject(b, "barrier_of_warp");
    const auto fail = [&](const std::string& why) {
        b.leave_out(alone, why);
        b.leave_out(of_warp, why);
    };
    auto out = b.buffer(64);
    if (!out) return fail(out.error().text());
    const std::uint32_t times = b.turns(2048, 8);
    std::vector<double> x;
    std::vector<std::vector<double>> cycles;
    for (std::uint32_t warps : {4u, 8u, 16u, 32u}) {
        auto each =
            cycles_each(b, one_block("launch.cu", "barrier", 32 * warps, pack(times, out->at())), out->at(), times);
        if (!each) return fail(each.error().text());
        x.push_back(warps);
        cycles.push_back(std::move(*each));
    }
    const auto lines = fit_lines(x, cycles);
    const auto& m = b.base();
    const double issue = 1 / std::max(0.1, m.sm.issue_per_scheduler * std::max(1u, m.sm.schedulers));
    b.take(alone, intercepts(lines), true, "blocks of 4 to 32 warps");
    b.take(of_warp, scaled_less(slopes(lines), 1, issue), true, "blocks of 4 to 32 warps");
}

/// Straight code of one warp, by its length: where it gets slow, and how slow it gets.
void instructions(Bench& b) {
    const Subject latency = deep_subject(b, "line_latency"), lines = deep_subject(b, "instruction_lines");
    const auto fail = [&](const std::string& why) {
        b.leave_out(latency, why);
        b.leave_out(lines, why);
    };
    auto out = b.buffer(64);
    if (!out) return fail(out.error().text());
    constexpr double of_segment = 128;
    std::vector<double> x, medians;
    std::vector<std::vector<double>> cycles;
    for (std::uint32_t segments : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 12u, 16u, 20u}) {
        auto each = cycles_each(b, one_block("code.cu", "long_code", 32, pack(1.5f, 0.25f, segments, out->at())),
                                out->at(), segments * of_segment);
        if (!each) return fail(each.error().text());
        const Subject one{"timing",
                          "line of code",
                          "",
                          "cycles",
                          1,
                          {},
                          "for 128 bytes of code that one warp goes along",
                          {{"lines", static_cast<std::int64_t>(segments * of_segment)}}};
        b.take(one, *each, true);
        x.push_back(segments * of_segment);
        medians.push_back(summarise(*each).median);
        cycles.push_back(std::move(*each));
    }
    const double step = step_at(x, medians);
    if (step == 0) return fail("code of up to 2560 lines takes the same time each");
    b.take(latency, cycles.back(), true, "of 2560 lines, of which the next are fetched while one is executed");
    b.take(lines, {step}, true, "the shortest of 128 to 2560 lines that is nearer to the slowest");
}

}  // namespace

std::vector<Part> block_parts() {
    return {{"from block to block", block_starts},
            {"handing out blocks", block_interval},
            {"barriers by warps", barriers},
            {"fetching instructions", instructions}};
}

}  // namespace warpwright::measure
