// What grows with the number of those who want the same: conflicts in shared memory, constants at several places, warps
// at a word that they compare and swap.
#include "measure/ceilings/deep.hpp"
#include "measure/ceilings/fit.hpp"

namespace warpwright::measure {
namespace {

void wavefronts(Bench& b) {
    const Subject subject = deep_subject(b, "wavefront");
    auto out = b.buffer(64);
    if (!out) return b.leave_out(subject, out.error().text());
    const std::uint32_t loads = b.turns(1024, 8);
    std::vector<double> x;
    std::vector<std::vector<double>> cycles;
    for (std::uint32_t ways : {1u, 2u, 4u, 8u, 16u, 32u}) {
        auto each = cycles_each(b, one_block("shared.cu", "shared_latency", 32, pack(ways, loads, out->at())),
                                out->at(), loads);
        if (!each) return b.leave_out(subject, each.error().text());
        x.push_back(ways);
        cycles.push_back(std::move(*each));
    }
    b.take(subject, slopes(fit_lines(x, cycles)), true, "loads of one warp with 1 to 32 wavefronts");
}

void accesses(Bench& b) {
    const Subject subject = deep_subject(b, "access_spacing");
    auto out = b.buffer(64);
    if (!out) return b.leave_out(subject, out.error().text());
    constexpr std::uint32_t of_turn = 128;
    const std::uint32_t turns = b.turns(64);
    const Shape s = one_block("wait.cu", "accesses_in_row", 32, pack(turns, out->at()));
    b.take(subject, cycles_each(b, s, out->at(), double{of_turn} * turns), true,
           "loads that nobody waits for, one warp");
}

constexpr std::uint32_t kTable = 2048;  // words of kernels/measure/wait.cu's table of constants

/// Cycles of a warp for a load of constants by lanes at `places` words, `apart` from each other, by the number of
/// places. The next load of a lane is at the same word, or, where they move on, `places` times as far: on lines that
/// were lost.
Result<std::vector<Line>> by_places(Bench& b, std::uint32_t warps, std::uint32_t apart, bool move_on) {
    auto module = b.module("wait.cu");
    if (!module) return std::move(module).error();
    auto table = (*module)->variable("spread");
    if (!table) return std::move(table).error();
    auto out = b.buffer(1024);
    if (!out) return std::move(out).error();
    const std::uint32_t hops = b.turns(512, 8);
    std::vector<double> x;
    std::vector<std::vector<double>> cycles;
    for (const std::uint32_t places : {4u, 8u, 16u, 32u}) {
        std::vector<std::uint32_t> next(kTable);
        for (std::uint32_t i = 0; i < kTable; ++i) next[i] = (i + (move_on ? places * apart : 0)) % kTable;
        if (auto ok = b.device().write(table->first, std::as_bytes(std::span(next))); !ok) return std::move(ok).error();
        auto each =
            cycles_of_all(b, one_block("wait.cu", "spread_constants", 32 * warps, pack(places, apart, hops, out->at())),
                          out->at(), double{1} * hops * warps);
        if (!each) return std::move(each).error();
        x.push_back(places);
        cycles.push_back(std::move(*each));
    }
    return fit_lines(x, cycles);
}

/// The latency of one warp, the rate of 32, and what a missing line adds to a place.
void constants(Bench& b) {
    constexpr std::uint32_t line = 16;  // words
    const Subject further = deep_subject(b, "constant_further"), missing = deep_subject(b, "constant_line"),
                  turn = deep_subject(b, "constant_turn");
    auto near = by_places(b, 1, 1, false), full = by_places(b, 32, 1, false), far = by_places(b, 1, line, true);
    if (near)
        b.take(further, slopes(*near), true, "lanes at 4 to 32 neighbouring words");
    else
        b.leave_out(further, near.error().text());
    if (full)
        b.take(turn, slopes(*full), true, "lanes at 4 to 32 neighbouring words, 32 warps");
    else
        b.leave_out(turn, full.error().text());
    if (!near || !far) return b.leave_out(missing, (near ? far : near).error().text());
    b.take(missing, scaled_less(slopes(*far), 1, summarise(slopes(*near)).median), true,
           "lanes at 4 to 32 lines of 64 bytes, others each time");
}

void compare_loops(Bench& b) {
    const Subject round = deep_subject(b, "compare_round"), turn = deep_subject(b, "compare_turn");
    const auto fail = [&](const std::string& why) {
        b.leave_out(round, why);
        b.leave_out(turn, why);
    };
    auto out = b.buffer(64);
    if (!out) return fail(out.error().text());
    const std::uint32_t times = b.turns(64);
    std::vector<double> x;
    std::vector<std::vector<double>> cycles;
    for (std::uint32_t warps : {1u, 2u, 4u, 8u}) {
        auto each =
            cycles_each(b, one_block("wait.cu", "compare_loops", 256, pack(std::uint32_t{1}, warps, times, out->at())),
                        out->at(), 32.0 * times);
        if (!each) return fail(each.error().text());
        x.push_back(warps);
        cycles.push_back(std::move(*each));
    }
    // One warp's lanes succeed one after the other, a round each; more warps at the word take a turn each.
    b.take(round, cycles.front(), true, "one warp, one word");
    const auto of_turn = slopes(fit_lines(x, cycles));
    if (summarise(of_turn).median > summarise(cycles.front()).median)
        return b.leave_out(turn, "more warps take longer in a turn than one takes in a round");
    b.take(turn, of_turn, true, "1 to 8 warps, one word");
}

}  // namespace

std::vector<Part> wait_parts() {
    return {{"wavefronts of shared memory", wavefronts},
            {"accesses in a row", accesses},
            {"constants at several places", constants},
            {"compare-and-swap loops", compare_loops}};
}

}  // namespace warpwright::measure
