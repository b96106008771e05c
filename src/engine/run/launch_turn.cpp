// How launches are told apart in shadow memory, and what they have left there. A launch's own mark is noted by the
// thread that launched it; the kernels that it launches run on any thread, and belong to the launch whose turn it is.
#include "engine/run/launch_turn.hpp"

#include <algorithm>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

namespace {

/// The marks of the calling thread's launch that runs, and of its last one.
thread_local std::vector<std::uint32_t>* now = nullptr;
struct Last {
    std::vector<std::uint32_t> marks;
    std::vector<shadow::Shadow::Trace> traces;
};
Last& last() {
    thread_local Last of_thread;
    return of_thread;
}

bool waits_for_others(const KernelCode& code) {
    return std::find(code.yields.begin(), code.yields.end(), std::uint8_t{1}) != code.yields.end();
}

}  // namespace

Engine::Turn::Turn(Engine& engine, Program& program, ptx::SymbolId kernel, const LaunchRequest& request)
    : engine_(engine), turn_(engine.turn_mutex_, std::defer_lock) {
    last() = {};
    if (!(engine_.checkers_ & static_cast<std::uint32_t>(record::Checker::race))) return;
    const auto code = engine_.compile(program, kernel, request);
    if (!code) return;  // the launch says why
    now = &marks_;
    if (waits_for_others(**code)) return;
    turn_.lock();
    std::lock_guard lock(engine_.generation_mutex_);
    engine_.in_turn_ = &marks_;
}

Engine::Turn::~Turn() {
    now = nullptr;
    if (turn_.owns_lock()) {
        std::lock_guard lock(engine_.generation_mutex_);
        engine_.in_turn_ = nullptr;
    }
    std::sort(marks_.begin(), marks_.end());
    if (engine_.keeps_traces_) last().traces = engine_.traces_in_turn(marks_);
    last().marks = std::move(marks_);
}

/// The caller has the lock of generations.
void Engine::note_generation(std::uint32_t generation) {
    if (auto* const of = now ? now : in_turn_) of->push_back(rounds_ << kMarkBits | generation);
}

std::vector<std::uint32_t> Engine::last_marks() { return last().marks; }
std::vector<shadow::Shadow::Trace> Engine::last_traces() { return last().traces; }

std::vector<shadow::Shadow::Trace> Engine::traces(const std::vector<std::uint32_t>& marks) {
    const std::lock_guard turn(turn_mutex_);
    return traces_in_turn(marks);
}

std::vector<shadow::Shadow::Trace> Engine::traces_in_turn(const std::vector<std::uint32_t>& marks) {
    std::vector<shadow::Shadow::Trace> out;
    std::uint32_t round = 0;
    {
        std::lock_guard lock(generation_mutex_);
        round = rounds_ << kMarkBits;
    }
    std::vector<std::uint32_t> generations;
    for (const auto mark : marks)
        if ((mark ^ round) >> kMarkBits == 0) generations.push_back(mark ^ round);
    if (!shadow_ || generations.empty()) return out;
    const auto of_host = memory_->host_shadows();
    for (const auto& a : memory_->live()) {
        if (a.use == MemoryUse::constant) continue;
        if (memory_->in_range(a.address))
            shadow_->traces(a.address, a.bytes, generations, out);
        else if (const auto known = of_host.find(a.address); known != of_host.end())
            known->second->traces(a.address, a.bytes, generations, out);
    }
    for (auto& t : out) t.generation |= round;
    return out;
}

record::FindingPlace Engine::site_place(std::uint32_t mark, std::uint32_t site) {
    std::lock_guard lock(generation_mutex_);
    const auto found = writers_.find(mark & ((1u << kMarkBits) - 1));
    if ((mark >> kMarkBits) != rounds_ || found == writers_.end() || !found->second.places ||
        site >= found->second.places->size())
        return {};
    return (*found->second.places)[site];
}

Engine::SitePlaces Engine::places_of(const std::shared_ptr<KernelCode>& code) {
    std::lock_guard lock(places_mutex_);
    std::erase_if(places_, [](const auto& p) { return p.second.first.expired(); });
    if (const auto known = places_.find(code.get()); known != places_.end()) return known->second.second;
    auto places = std::make_shared<std::vector<record::FindingPlace>>();
    for (const auto& site : code->sites) {
        const auto where = location(*code->module, site.ptx);
        record::FindingPlace place;
        place.file = where.file, place.line = where.line, place.column = where.column;
        place.access = std::string(access_name(site)) + " of " + bytes_text(site.bytes * site.count);
        places->push_back(std::move(place));
    }
    places_[code.get()] = {code, places};
    return places;
}

}  // namespace warpwright::engine
