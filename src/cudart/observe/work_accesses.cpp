// Lists of ranges are compared like two sorted lists that are merged.
#include "cudart/observe/work_accesses.hpp"

#include <algorithm>

#include "cudart/observe/host_places.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

namespace {

/// More ranges than these are not kept: their work is then not compared.
constexpr std::size_t kMostRanges = std::size_t{1} << 21;

void put_in_order(std::vector<AccessRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    std::vector<AccessRange> apart;
    for (auto r : ranges) {
        if (!apart.empty() && r.at < apart.back().end) r.at = apart.back().end;
        if (r.at < r.end) apart.push_back(r);
    }
    ranges = std::move(apart);
}

/// Calls `use(a, b)` for each two that overlap, in order, until it returns true.
template <class Use>
bool each_overlap(const std::vector<AccessRange>& a, const std::vector<AccessRange>& b, Use&& use) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].at < b[j].end && b[j].at < a[i].end && use(a[i], b[j])) return true;
        a[i].end <= b[j].end ? ++i : ++j;
    }
    return false;
}

}  // namespace

std::string stream_text(const Issued& by) {
    const auto name = by.on_legacy ? std::string("the default stream") : "stream " + std::to_string(by.stream);
    return Runtime::get().devices() > 1 ? name + " of device " + std::to_string(by.device) : name;
}

record::FindingPlace call_place(const Issued& by) {
    record::FindingPlace place;
    if (by.call) place = host_place(*by.call, by.in_stub).first;
    place.column = 0;
    return place;
}

record::FindingPlace place_of(const WorkAccesses& w, const AccessRange& range, bool writes) {
    if (w.kind == WorkAccesses::Kind::kernel) {
        auto place = Runtime::get().device()->host_sharing()->place_of(
            {range.at, range.bytes(), range.launch, range.site, writes, range.strong});
        // Without line information that is a line of PTX, and the program's own says more.
        const auto call = call_place(*w.by);
        if (place.line && !(call.line && place.file.ends_with(".ptx"))) return place;
        place = call;
        place.access = writes ? "store" : "load";
        return place;
    }
    for (const auto& [address, stack] : w.touches)
        if (address == range.at) {
            auto place = host_place(stack).first;
            place.column = 0;
            place.access = writes ? "store by a host function" : "load by a host function";
            if (place.line) return place;
        }
    auto place = call_place(*w.by);
    place.access = w.kind == WorkAccesses::Kind::fill            ? "fill"
                   : w.kind == WorkAccesses::Kind::host_function ? "host function"
                   : writes                                      ? "copy to this memory"
                                                                 : "copy from this memory";
    return place;
}

void WorkAccesses::take(const std::vector<device::LaunchAccess>& accesses) {
    marks.clear();
    if (accesses.size() > kMostRanges) return;
    for (const auto& a : accesses)
        (a.write ? writes : reads).push_back({a.at, a.at + a.bytes, a.launch, a.site, a.strong});
    finish();
}

void WorkAccesses::finish() {
    put_in_order(reads);
    put_in_order(writes);
}

std::optional<std::pair<AccessRange, bool>> WorkAccesses::in(std::uint64_t at, std::uint64_t bytes) const {
    for (const auto* list : {&writes, &reads}) {
        const auto found =
            std::lower_bound(list->begin(), list->end(), at, [](const auto& r, std::uint64_t x) { return r.end <= x; });
        if (found != list->end() && found->at < at + bytes) return std::pair{*found, list == &writes};
    }
    return std::nullopt;
}

bool are_ordered(const WorkAccesses& a, const WorkAccesses& b) {
    if (a.by != b.by) return a.by->precedes(*b.by) || b.by->precedes(*a.by);
    if (!a.part.before || !b.part.before || a.part.number == b.part.number) return true;
    const auto precedes = [](const GraphPart& x, const GraphPart& y) {
        return x.number < y.before->size() && (*y.before)[x.number];
    };
    return precedes(a.part, b.part) || precedes(b.part, a.part);
}

std::optional<Overlap> overlap_of(const WorkAccesses& one, const WorkAccesses& other) {
    std::optional<Overlap> found;
    bool synchronise = false;
    const auto look = [&](const std::vector<AccessRange>& a, const std::vector<AccessRange>& b, bool a_writes,
                          bool b_writes) {
        each_overlap(a, b, [&](const AccessRange& x, const AccessRange& y) {
            if (x.strong && y.strong) {
                synchronise = true;
                return true;
            }
            if (!found) {
                const auto at = std::max(x.at, y.at);
                found = Overlap{x, y, a_writes, b_writes, at, std::min(x.end, y.end) - at};
            }
            return false;
        });
    };
    look(one.writes, other.writes, true, true);
    look(one.writes, other.reads, true, false);
    look(one.reads, other.writes, false, true);
    if (synchronise) return std::nullopt;
    return found;
}

}  // namespace warpwright::cudart
