// A finding's key is a text of its kind, kernel, lines and array, in which the two lines of a race have one order.
// Reads that a race explains are left out when findings are listed, because the race is what has to be mended.
#include "shadow/findings.hpp"

#include <algorithm>
#include <tuple>

namespace warpwright::shadow {

using record::Finding;

namespace {

bool of_line(const record::FindingPlace& place, const Finding& f) {
    return place.line == f.at.line && place.file == f.at.file && place.access == f.at.access;
}

/// Reads of shared memory before another thread's unordered write to it: that thread may come first another time, so
/// it is the race that has to be mended. At the line of the race nothing else is said; elsewhere in the array what to
/// do is to look at the race first. Lanes that race at a line where warps do need the barrier of the block.
void explain_by_races(std::vector<Finding>& findings) {
    std::vector<const Finding*> races;
    for (const Finding& f : findings)
        if ((f.kind == record::FindingKind::race_lanes || f.kind == record::FindingKind::race_shared) && f.array)
            races.push_back(&f);
    const auto in_array = [](const Finding& race, const Finding& f) {
        return race.kernel == f.kernel && f.array && race.array->name == f.array->name &&
               race.array->line == f.array->line;
    };
    const auto explained = [&](const Finding& f) {
        return f.kind == record::FindingKind::uninitialised && f.space == "shared" &&
               std::any_of(races.begin(), races.end(), [&](const Finding* race) {
                   return in_array(*race, f) && (of_line(race->at, f) || (race->other && of_line(*race->other, f)));
               });
    };
    // One barrier mends what races at a line, and it is the wider of the two.
    const auto of_warps = [](const Finding& race, const Finding& f) {
        const auto at = [&](const record::FindingPlace& place) {
            return of_line(place, f) || (f.other && place.line == f.other->line && place.file == f.other->file);
        };
        return race.kind == record::FindingKind::race_shared && race.kernel == f.kernel && f.space == "shared" &&
               (at(race.at) || (race.other && at(*race.other)));
    };
    std::vector<Finding> rest;
    for (const Finding& f : findings) {
        if (explained(f)) continue;
        rest.push_back(f);
        if (f.kind == record::FindingKind::race_lanes &&
            std::any_of(races.begin(), races.end(), [&](const Finding* race) { return of_warps(*race, f); }))
            rest.back().advice = "put __syncthreads() between them: at these lines other warps race too";
        if (f.kind != record::FindingKind::uninitialised || f.space != "shared") continue;
        if (std::any_of(races.begin(), races.end(), [&](const Finding* race) { return in_array(*race, f); }))
            rest.back().advice = "mend the races on " + f.array->name +
                                 " first: the thread that writes it may only have come later; else write it first";
    }
    findings = std::move(rest);
}

}  // namespace

std::size_t Collector::put(Finding f) {
    const auto place = [](const record::FindingPlace& p) { return p.file + ":" + std::to_string(p.line); };
    auto a = place(f.at), b = f.other ? place(*f.other) : std::string();
    // A race is the same whichever access came first.
    if (f.other && b < a) std::swap(a, b);
    auto key = std::to_string(static_cast<int>(f.kind)) + "|" + f.kernel + "|" + a + "|" + b + "|" + f.space;
    // A line may miss several arrays.
    if (f.array) key += "|" + f.array->name;
    // A line may allocate several.
    if (f.kind == record::FindingKind::leak) key += "|" + f.allocated_as;
    if (f.at.line == 0) key += "|" + f.message;
    const auto found = by_text_.find(key);
    if (found != by_text_.end()) {
        findings_[found->second].count += f.count;
        return found->second;
    }
    findings_.push_back(std::move(f));
    by_text_.emplace(std::move(key), findings_.size() - 1);
    return findings_.size() - 1;
}

void Collector::add(Finding f) {
    std::lock_guard lock(mutex_);
    put(std::move(f));
}

void Collector::add(Finding f, const void* at, const void* other) {
    std::lock_guard lock(mutex_);
    const auto kind = f.kind;
    const auto index = put(std::move(f));
    by_place_[{kind, at, other}] = index;
}

bool Collector::again(record::FindingKind kind, const void* at, const void* other, std::uint64_t times) {
    std::lock_guard lock(mutex_);
    const auto found = by_place_.find({kind, at, other});
    if (found == by_place_.end()) return false;
    findings_[found->second].count += times;
    return true;
}

bool Collector::empty() const {
    std::lock_guard lock(mutex_);
    return findings_.empty();
}

std::size_t Collector::size() const {
    std::lock_guard lock(mutex_);
    return findings_.size();
}

std::vector<Finding> Collector::all() const {
    std::lock_guard lock(mutex_);
    auto out = findings_;
    explain_by_races(out);
    // Kernel defects come first, then the host's errors, and leaks last, because leaks seldom cause a wrong result.
    const auto late = [](const Finding& f) {
        return f.kind == record::FindingKind::leak ? 2 : f.kind == record::FindingKind::api_error ? 1 : 0;
    };
    std::stable_sort(out.begin(), out.end(), [&](const Finding& a, const Finding& b) {
        const int a_late = late(a), b_late = late(b);
        return std::tie(a_late, a.severity, a.kind, a.at.file, a.at.line, a.kernel) <
               std::tie(b_late, b.severity, b.kind, b.at.file, b.at.line, b.kernel);
    });
    return out;
}

void Collector::clear() {
    std::lock_guard lock(mutex_);
    findings_.clear();
    by_text_.clear();
    by_place_.clear();
}

}  // namespace warpwright::shadow
