// What is said of a block in which no thread can go on: who waits where, and where those are for whom they wait.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "engine/run/scheduler.hpp"
#include "engine/runtime/mbarrier.hpp"
#include "engine/runtime/texts.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

namespace {

/// Threads of a block in one place: lanes by warp.
using Group = std::map<std::size_t, std::uint64_t>;

std::uint64_t size_of(const Group& group) {
    std::uint64_t n = 0;
    for (const auto& [warp, lanes] : group) n += static_cast<std::uint64_t>(std::popcount(lanes));
    return n;
}

/// "lanes 0-15, 20", of a set that has some.
std::string lanes_text(std::uint64_t lanes) {
    std::string out;
    for (unsigned l = 0; l < 64; ++l) {
        if (!(lanes >> l & 1)) continue;
        unsigned last = l;
        while (last < 63 && (lanes >> (last + 1) & 1)) ++last;
        out += (out.empty() ? "" : ", ") + std::to_string(l);
        if (last > l) out += "-" + std::to_string(last);
        l = last;
    }
    return (std::popcount(lanes) == 1 ? "lane " : "lanes ") + out;
}

/// "16 threads (lanes 0-15 of warp 0)", "96 threads (of warps 1-3)".
std::string text_of(const Group& group) {
    const auto n = size_of(group);
    const auto first = group.begin()->first, last = group.rbegin()->first;
    std::string who = first == last ? lanes_text(group.begin()->second) + " of warp " + std::to_string(first)
                      : last - first + 1 == group.size()
                          ? "of warps " + std::to_string(first) + "-" + std::to_string(last)
                          : "of " + std::to_string(group.size()) + " warps, the first of them " + std::to_string(first);
    return std::to_string(n) + (n == 1 ? " thread (" : " threads (") + who + ")";
}

std::string place_of(const KernelCode& code, const simt::Details* at) {
    if (!at) return "a barrier";
    const auto where = location(*code.module, at).text();
    return at->spelling() + (where.empty() ? "" : ", " + where);
}

/// Where a block's threads are.
struct Standing {
    std::vector<std::pair<const simt::Details*, Group>> waiting;  ///< by instruction, in the order of warps
    Group ended;

    void wait(std::size_t warp, std::uint64_t lanes, const simt::Details* at) {
        if (!lanes) return;
        auto found = std::find_if(waiting.begin(), waiting.end(), [&](const auto& w) { return w.first == at; });
        if (found == waiting.end()) found = waiting.insert(found, {at, {}});
        found->second[warp] |= lanes;
    }
    std::uint64_t threads() const {
        std::uint64_t n = 0;
        for (const auto& [at, group] : waiting) n += size_of(group);
        return n;
    }
};

Standing standing_of(ResidentBlock& block, const KernelCode& code) {
    Standing out;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        if (const auto gone = f->initial & ~f->live) out.ended[w] = gone;
        if (block.states[w] == WarpState::barrier) out.wait(w, f->live, code.barriers[f->barrier_site]);
        if (block.states[w] == WarpState::phase) out.wait(w, f->live, nullptr);
        for (std::uint32_t k = 0; k < f->waits && block.states[w] == WarpState::waiting; ++k) {
            const auto& wait = f->wait[k];
            const bool phase = wait.barrier == kPhaseWait || wait.barrier == kBehindWait;
            const simt::Details* at = nullptr;
            if (!phase && wait.barrier != kWarpWait) at = code.barriers[f->barrier_site];
            if (!phase && !at && wait.block < code.block_line.size()) at = code.block_line[wait.block];
            out.wait(w, wait.lanes, at);
        }
    }
    return out;
}

/// Those for whom the first group waits: threads that have ended, and those that wait elsewhere.
std::string others_text(const Standing& standing, const KernelCode& code) {
    std::string out;
    if (!standing.ended.empty())
        out = text_of(standing.ended) + (size_of(standing.ended) == 1 ? " has ended" : " have ended");
    for (std::size_t k = 1; k < standing.waiting.size(); ++k) {
        const auto& [at, group] = standing.waiting[k];
        out += (out.empty() ? "" : "; ") + text_of(group) + (size_of(group) == 1 ? " waits at " : " wait at ") +
               place_of(code, at);
    }
    return out;
}

}  // namespace

void Scheduler::deadlock(ResidentBlock& block) {
    const auto& code = *launch.code;
    const auto standing = standing_of(block, code);
    const auto& c = block.context;
    const auto of_block = "block (" + std::to_string(c.ctaid[0]) + "," + std::to_string(c.ctaid[1]) + "," +
                          std::to_string(c.ctaid[2]) + ")";
    const auto fail = [&](const std::string& what, const simt::Details* at, const char* advice) {
        launch.fail({ErrorKind::fault, "deadlock: " + what, location(*code.module, at), advice, Cause::deadlock},
                    record::FindingKind::deadlock);
    };
    const simt::Details* phase_at = nullptr;
    const auto all = std::to_string(standing.threads()) + " threads of " + of_block + " wait";
    if (const auto phases = phase_text(block, code, &phase_at); !phases.empty())
        return fail(all + ", and no thread can continue: " + phases, phase_at,
                    "every arrival and every byte that the phase expects must occur");
    const auto others = others_text(standing, code);
    const auto* at = standing.waiting.empty() ? nullptr : standing.waiting[0].first;
    const auto who = standing.waiting.empty() ? all : text_of(standing.waiting[0].second) + " of " + of_block + " wait";
    fail(who + " at " + (at ? at->spelling() : std::string("a barrier")) + " for threads that never reach it" +
             (others.empty() ? "" : ": " + others),
         at, "every thread the barrier counts must reach it");
}

}  // namespace warpwright::engine
