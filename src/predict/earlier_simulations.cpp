// A trace is large and its hash small: of an earlier launch the hash alone is kept. Two launches are equal where all
// that a simulation reads of them is: their work, their code, their trace. On disk each simulation has an entry under
// the hash of that, and, where its course was known before the launch, one under the hash of what that follows from.
#include "predict/earlier_simulations.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "arch/figures.hpp"
#include "machine/fingerprint.hpp"
#include "predict/trace_outline.hpp"
#include "support/build_id.hpp"
#include "support/bytes_of_values.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::predict {

namespace {

constexpr std::string_view kExtension = ".prediction";

template <class T>
std::string_view bytes_of(const std::vector<T>& v) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would differ by chance");
    return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

/// A hash of all that the simulation reads of a trace but its code, and the launch's time limit, which decides whether
/// there is a result, and which causes there is time to look for.
std::string content_of(const machine::LaunchTrace& trace) {
    ContentHasher hash;
    std::vector<std::uint64_t> numbers{trace.beyond, trace.blocks,       trace.first,
                                       trace.stride, trace.areas.size(), trace.sample.size()};
    for (const auto& a : trace.areas)
        numbers.insert(numbers.end(), {a.first, a.sectors, std::uint64_t{a.loose}, a.behind, a.whole});
    for (const auto& block : trace.sample) {
        numbers.push_back(block.index), numbers.push_back(block.warps.size());
        for (const auto& warp : block.warps) {
            numbers.push_back(warp.cut);
            hash.add(bytes_of(warp.events));
        }
        hash.add(bytes_of(block.sectors));
    }
    return hash.add(bytes_of(trace.work)).add(bytes_of(numbers)).digest();
}

Work without_trace(Work work) {
    work.trace.reset();
    return work;
}

}  // namespace

EarlierSimulations::EarlierSimulations(const arch::DeviceModel& model, std::string directory, std::string_view of_what)
    : directory_(build_id().empty() ? std::string() : std::move(directory)),
      of_what_(ContentHasher().add(build_id()).add(arch::fingerprint(model)).add(of_what).digest()) {}

std::string EarlierSimulations::key_of_course(const std::string& course, const Work& before) const {
    return ContentHasher().add(of_what_).add("course").add(course).add(predict::bytes_of(before)).digest();
}

std::string EarlierSimulations::key_of_content(const Work& work, const std::string& content) const {
    return ContentHasher()
        .add(of_what_)
        .add("content")
        .add(content)
        .add(machine::fingerprint(*work.trace->code))
        .add(predict::bytes_of(work))
        .digest();
}

DiskCache EarlierSimulations::disk() const { return DiskCache(directory_, std::string(kExtension), kBytes); }

/// What was kept under a key; null where there is nothing that is believed.
std::shared_ptr<const KnownSimulation> EarlierSimulations::kept(const std::string& key,
                                                                const SourceLine& source) const {
    if (directory_.empty()) return nullptr;
    DiskCache cache = disk();
    const auto bytes = cache.get(key);
    if (!bytes) return nullptr;
    auto known = decoded(*bytes);
    if (!known) {
        cache.remove(key);
        return nullptr;
    }
    // (A source that has changed makes another entry in the place of this one.)
    return known->asked.same(source) ? std::make_shared<const KnownSimulation>(*std::move(known)) : nullptr;
}

bool EarlierSimulations::may_write() {
    std::lock_guard lock(mutex_);
    return !directory_.empty() && written_++ < kMostWritten;
}

void EarlierSimulations::remember(Simulation simulation) {
    std::lock_guard lock(mutex_);
    if (last_.size() >= kMost) last_.pop_front();
    last_.push_back(std::move(simulation));
}

namespace {

/// Of a launch that has run, what was known of it before.
Work as_before(const Work& work) {
    Work out;
    out.grid = work.grid, out.block = work.block;
    out.registers = work.registers, out.registers_source = work.registers_source;
    out.shared = work.shared, out.local = work.local;
    return out;
}

}  // namespace

std::shared_ptr<const machine::LaunchTrace> EarlierSimulations::known(const std::string& course, const Work& before,
                                                                      const SourceLine& source) {
    std::shared_ptr<const KnownSimulation> found;
    {
        std::lock_guard lock(mutex_);
        if (forgotten_.contains(course)) return nullptr;
        for (const auto& s : last_)
            if (s.course == course && as_before(s.known->work) == before) found = s.known;
    }
    if (!found) {
        found = kept(key_of_course(course, before), source);
        if (!found || !(as_before(found->work) == before)) return nullptr;
        remember({found, {}, {}, course, {}});
    }
    auto out = std::make_shared<machine::LaunchTrace>();
    out->blocks = before.grid.count();
    out->course = course;
    out->outline = std::move(found);
    return out;
}

std::optional<record::Predicted> EarlierSimulations::find(const Work& work, std::string& content,
                                                          const SourceLine& source) {
    const Work rest = without_trace(work);
    if (work.trace->outline) {
        const auto* known = dynamic_cast<const KnownSimulation*>(work.trace->outline.get());
        return known && known->work == rest ? std::optional(known->predicted) : std::nullopt;
    }
    {
        std::lock_guard lock(mutex_);
        for (const auto& s : last_) {
            const bool of_course = !s.course.empty() && s.course == work.trace->course;
            if ((!of_course && s.code != work.trace->code) || !(s.known->work == rest)) continue;
            if (of_course || s.trace.lock() == work.trace) return s.known->predicted;
            if (s.content.empty()) continue;
            if (content.empty()) content = content_of(*work.trace);
            if (s.content == content) return s.known->predicted;
        }
    }
    if (directory_.empty()) return std::nullopt;
    if (content.empty()) content = content_of(*work.trace);
    const auto found = kept(key_of_content(work, content), source);
    if (!found || !(found->work == rest)) return std::nullopt;
    // Where a program has changed and this kernel has not, the next run finds it before the launch.
    if (const auto& course = work.trace->course; !course.empty() && may_write())
        disk().put(key_of_course(course, as_before(work)), encoded(*found));
    remember({found, work.trace, work.trace->code, work.trace->course, content});
    return found->predicted;
}

void EarlierSimulations::forget(const Work& work) {
    const auto& course = work.trace->course;
    if (!directory_.empty()) disk().remove(key_of_course(course, as_before(work)));
    std::lock_guard lock(mutex_);
    forgotten_.insert(course);
    std::erase_if(last_, [&](const Simulation& s) { return s.course == course; });
}

void EarlierSimulations::keep(const Work& work, std::string content, const record::Predicted& predicted,
                              LinesAsked asked) {
    if (content.empty()) content = content_of(*work.trace);
    auto known = std::make_shared<KnownSimulation>();
    static_cast<machine::TraceOutline&>(*known) = outline_of(work);
    known->work = without_trace(work);
    known->predicted = predicted;
    known->asked = std::move(asked);
    const auto& course = work.trace->course;
    // Where time is limited a cause may be missing for want of it.
    if (work.trace->seconds_left <= 0 && may_write()) {
        const std::string bytes = encoded(*known);
        DiskCache cache = disk();
        cache.put(key_of_content(work, content), bytes);
        if (!course.empty()) cache.put(key_of_course(course, as_before(work)), bytes);
    }
    remember({std::move(known), work.trace, work.trace->code, course, std::move(content)});
}

}  // namespace warpwright::predict
