// Launches of the same kernel and configuration share one entry, and events are kept up to a fixed number. The profile
// is written to a second file that then replaces the first, so that a reader never sees half of one.
#include "cudart/observe/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "cudart/observe/emulator_time.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"
#include "host/self.hpp"
#include "predict/launch_picture.hpp"
#include "predict/launch_work.hpp"
#include "profile/names.hpp"
#include "record/alike.hpp"
#include "support/host_time.hpp"

namespace warpwright::cudart {
namespace {

/// Launches of one kernel that differ from the one before and are kept singly.
constexpr std::size_t kMostEntries = 1000;

/// What the clock gives back of a launch or copy: its entry in the profile, and which of its launches it was.
constexpr unsigned kWhatBits = 24;
constexpr std::uint64_t kWhat = (std::uint64_t{1} << kWhatBits) - 1;
std::uint64_t tag_of(std::size_t what, std::uint64_t number) { return (number << kWhatBits) | (what & kWhat); }

/// Adds launches that are alike to those of their kernel, or of one stream. `Of`: has `launches`, `launches_left_out`.
template <class Of>
void add_launches(Of& k, const profile::KernelUse::Launches& more) {
    if (!k.launches.empty() && k.launches_left_out == 0 && k.launches.back().seconds == more.seconds &&
        k.launches.back().counts == more.counts)
        k.launches.back().count += more.count;
    else if (k.launches.size() < kMostEntries)
        k.launches.push_back(more);
    else
        k.launches_left_out += more.count;
}

/// Adds the counts of lines, which are in the order of the map: mostly they are those that it has.
void add_lines(profile::KernelUse& k, const std::vector<record::LineCounts>& lines) {
    auto at = k.lines.begin();
    for (const auto& l : lines) {
        if (at == k.lines.end() || at->first.second != l.line || at->first.first != l.file)
            at = k.lines.try_emplace({l.file, l.line}).first;
        at->second += l.counts;
        ++at;
    }
}

constexpr std::size_t kMostEvents = 500000;
constexpr auto kInterval = std::chrono::seconds(2);

}  // namespace

Recorder& Recorder::get() {
    static auto* recorder = new Recorder;
    return *recorder;
}

Recorder::Recorder() {
    const auto& settings = Runtime::get().settings;
    on_ = !settings.profile.empty();
    if (on_) (void)host_time::on();  // samples begin here
    events_ = on_ && settings.events;
    if (!on_) return;
    profile_.host_clock = HostClock::get().modelled() ? "modelled" : "real";
    profile_.counted = settings.counters;
    profile_.per_line = settings.per_line;
    profile_.program = host::command_line();
    if (settings.sample > 0)
        profile_.notes.push_back(
            "--sample: a part of the blocks ran and stands for all. Memory contents are not defined after that: the "
            "program's own "
            "results and checks mean nothing here.");
    calls_.resize(api_count());
    started_ = written_ = Clock::now();
}

Recorder::Clock::time_point Recorder::now() {
    static const bool on = !Runtime::get().settings.profile.empty();
    return on ? Clock::now() : Clock::time_point{};
}

void Recorder::event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, double start, double seconds,
                     std::uint64_t number) {
    if (!events_) return;
    if (profile_.events.size() >= kMostEvents)
        ++profile_.events_dropped;
    else
        profile_.events.push_back({kind, static_cast<std::uint32_t>(what), lane, start, seconds, number});
}

void Recorder::api(unsigned index, Clock::time_point started, cudaError_t result) {
    if (!on_) return;
    thread_local const auto thread = host::thread_number();
    const auto ended = Clock::now();
    const double seconds = std::chrono::duration<double>(ended - started).count();
    std::lock_guard lock(mutex_);
    if (paused_) return;
    if (index >= calls_.size()) calls_.resize(api_count());
    calls_[index].times.add(seconds);
    if (result != cudaSuccess && result != cudaErrorNotReady) ++calls_[index].failed;
    event(profile::Event::Kind::call, index, thread, std::chrono::duration<double>(started - started_).count(),
          seconds);
}

void Recorder::launched(const Launch& launch, const device::LaunchResult& result,
                        const std::optional<record::Sample>& sample, Timed& timed, bool from_device) {
    if (!on_ || paused_) return;
    const double seconds = Scheduler::get().model().seconds(timed.work);
    std::lock_guard lock(mutex_);
    if (const auto what = add(launch, result, sample ? &*sample : nullptr, seconds, timed, from_device))
        timed.work.tag = tag_of(*what, profile_.kernels[*what].times.calls - 1);
    write_now_and_then();
}

void Recorder::copying(const Copy& copy) {
    if (!on_ || paused_) return;
    const bool to_device = copy.kind == cudaMemcpyHostToDevice;
    if (!to_device && copy.kind != cudaMemcpyDeviceToHost) return;
    timeline::Work work;
    work.kind = to_device ? timeline::Kind::to_device : timeline::Kind::to_host;
    work.bytes = copy.bytes(), work.pageable = copy.pageable;
    const auto& model = Scheduler::get().model();
    const double seconds = model.seconds(work);
    work.pageable = false;
    const double pinned = model.seconds(work);
    const auto at = [](const std::byte* p) { return reinterpret_cast<std::uint64_t>(p); };
    const std::uint64_t place = at(copy.to.at) * 0x9e3779b97f4a7c15ull ^ at(copy.from.at);
    std::lock_guard lock(mutex_);
    const auto bytes = static_cast<double>(work.bytes);
    whole_.copied += bytes, sums_.links += seconds;
    if (copied_before_.size() < kMostEvents && !copied_before_.insert(place).second) sums_.repeated += seconds;
    if (copy.pageable) whole_.pageable += bytes, sums_.pageable += seconds, sums_.pinned += pinned;
}

void Recorder::copied(const char* name, timeline::Work& work) {
    if (!on_ || paused_) return;
    const double seconds = Scheduler::get().model().seconds(work);
    std::lock_guard lock(mutex_);
    auto [at, fresh] = copies_.try_emplace(name, profile_.copies.size());
    if (fresh) profile_.copies.push_back({name, {}, 0});
    auto& c = profile_.copies[at->second];
    add_to(copy_sums_, at->second, c.times, seconds);
    c.bytes += work.bytes;
    sizes_.resize(profile_.copies.size());
    auto& sizes = sizes_[at->second];
    work.tag = tag_of(at->second, sizes.size());
    if (events_ && sizes.size() < kMostEvents) sizes.push_back(work.bytes);
}

void Recorder::placed(const timeline::Span& span, std::uint64_t stream) {
    if (!on_ || span.tag == timeline::Work::kNoTag) return;
    std::lock_guard lock(mutex_);
    const bool kernel = span.kind == timeline::Kind::kernel;
    const double end = span.begin + span.seconds;
    whole_.all.add(span.begin, end);
    if (kernel) whole_.kernels.add(span.begin, end);
    if (span.kind == timeline::Kind::to_device || span.kind == timeline::Kind::to_host)
        whole_.links.add(span.begin, end);
    const std::size_t what = span.tag & kWhat;
    std::uint64_t number = span.tag >> kWhatBits;
    if (!kernel) number = what < sizes_.size() && number < sizes_[what].size() ? sizes_[what][number] : 0;
    event(kernel ? profile::Event::Kind::kernel : profile::Event::Kind::copy, what, stream, span.begin, span.seconds,
          number);
}

void Recorder::add_to(std::vector<support::ExactSum>& sums, std::size_t at, profile::Times& times, double seconds) {
    if (sums.size() <= at) sums.resize(at + 1);
    times.add(seconds);
    times.total = sums[at] += seconds;
}

void Recorder::OfStream::add(const record::Predicted& predicted) {
    if (last) {
        const auto launches = last->launches, simulated = last->simulated;
        last->launches = predicted.launches, last->simulated = predicted.simulated;
        const bool same = *last == predicted;
        last->launches = launches, last->simulated = simulated;
        if (same) {
            last->launches += predicted.launches, last->simulated += predicted.simulated;
            return;
        }
        earlier = mean();
    }
    last = predicted;
}

std::optional<record::Predicted> Recorder::OfStream::mean() const {
    if (!earlier || !last) return earlier ? earlier : last;
    auto out = earlier;
    out->average(*last);
    return out;
}

Recorder::Kinds& Recorder::kinds_of(const Launch& launch, bool from_device) {
    const auto& c = launch.config;
    const Before& b = before_;
    if (kinds_before_ && b.grid == c.grid && b.block == c.block && b.shared == c.dynamic_shared &&
        b.device == launch.device && b.from_device == from_device && b.kernel == launch.kernel->name)
        return *kinds_before_;
    before_ = {launch.kernel->name, c.grid, c.block, c.dynamic_shared, launch.device, from_device};
    const auto text = [](const launch::Extent& d) {
        return "/" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
    };
    kinds_before_ =
        &kernels_[launch.kernel->name + text(c.grid) + text(c.block) + "/" + std::to_string(c.dynamic_shared) +
                  (from_device ? "/device" : "") + "/" + std::to_string(launch.device)];
    return *kinds_before_;
}

/// Launches of the same kernel and shape share an entry as long as their figures are alike.
std::size_t Recorder::entry_of(const Launch& launch, const device::LaunchResult& result, bool from_device) {
    const auto& c = launch.config;
    Kinds& kinds = kinds_of(launch, from_device);
    ++kinds.launches;
    for (const std::size_t entry : kinds.entries) {
        const auto& k = profile_.kernels[entry];
        if (!result.counts || k.counted == 0 || record::alike(k.counts, result.counts->total)) return entry;
    }
    if (kinds.entries.size() >= record::kMostKinds) return kinds.entries.back();
    if (kinds.entries.size() == 1) profile_.kernels[kinds.entries[0]].apart = 1;
    profile::KernelUse k;
    k.name = launch.kernel->name;
    k.from_device = from_device;
    if (Runtime::get().devices() > 1) k.device = launch.device;
    k.grid = c.grid;
    k.block = c.block;
    k.dynamic_shared = c.dynamic_shared;
    k.static_shared = launch.kernel->info->static_shared;
    k.registers = launch.kernel->info->registers;
    k.registers_source = launch.kernel->info->registers_source;
    k.apart = kinds.entries.empty() ? 0 : kinds.launches;
    kinds.entries.push_back(profile_.kernels.size());
    profile_.kernels.push_back(std::move(k));
    return kinds.entries.back();
}

std::optional<std::size_t> Recorder::add(const Launch& launch, const device::LaunchResult& result,
                                         const record::Sample* sample, double seconds, const Timed& timed,
                                         bool from_device) {
    const auto& settings = Runtime::get().settings;
    if (!profile::matches(launch.kernel->name, settings.kernel)) return std::nullopt;
    const auto number = matched_++;
    if (number < settings.skip || (settings.launches && number >= settings.skip + settings.launches))
        return std::nullopt;
    const std::size_t entry = entry_of(launch, result, from_device);
    ++whole_.launches, sums_.kernels += seconds;
    if (timed.predicted) sums_.starts += timed.predicted->start_seconds.value_or(0);
    auto& k = profile_.kernels[entry];
    add_to(kernel_sums_, entry, k.times, seconds);
    if (of_streams_.size() <= entry) of_streams_.resize(entry + 1);
    auto& streams = of_streams_[entry];
    const std::uint64_t in_stream = launched_[thread_state().stream]++;
    auto& part = streams.parts[thread_state().stream];
    if (part.calls == 0) part.first = in_stream;
    if (events_ && streams.came.size() < kMostEvents) streams.came.emplace_back(thread_state().stream, part.calls);
    ++part.calls;
    add_launches(part, {1, seconds, result.counts ? result.counts->total : record::Counts{}});
    if (timed.predicted) part.add(*timed.predicted);
    if (!timed.unpredicted.empty()) k.unpredicted = timed.unpredicted;
    k.host_seconds += result.host_seconds;
    k.compile_seconds += result.compile_seconds;
    if (result.counts) {
        k.counts += result.counts->total;
        k.touched += timed.touched;
        ++k.counted;
        picture(k, launch, result);
        add_lines(k, result.counts->lines);
    }
    if (settings.sample > 0) {
        const std::uint64_t blocks = launch.config.grid.count();
        ++k.sample.launches;
        k.sample.blocks += blocks;
        k.sample.run += sample ? sample->run : blocks;
        if (sample && sample->why_all.empty())
            k.sample.which = sample->which;
        else
            k.sample.why_all = sample ? sample->why_all : from_device ? "launched by a kernel" : "a cooperative launch";
        for (unsigned i = 0; sample && i < record::kCounts; ++i) k.sample.half_width[i] += sample->half_width[i];
    }
    return entry;
}

/// Its picture is that of the first launch whose course was kept, of so many kernels.
void Recorder::picture(profile::KernelUse& k, const Launch& launch, const device::LaunchResult& result) {
    constexpr std::size_t kMostPictures = 48;
    auto& runtime = Runtime::get();
    if (!runtime.settings.pictures || k.picture || !result.trace || pictures_ == kMostPictures) return;
    const auto work = predict::launch_work(*launch.kernel->info, launch.config, result);
    auto picture = predict::launch_picture(k.name, work, runtime.model(), launch.kernel->binary->ptx);
    if (!picture) return;  // its page is without one; that no time was predicted either, it says
    k.picture = std::move(*picture);
    ++pictures_;
}

void Recorder::failed(const Launch& launch, const Error& error) {
    if (!on_) return;
    {
        std::lock_guard lock(mutex_);
        profile_.faults.push_back({launch.kernel->name, error.text()});
    }
    write();
}

void Recorder::write_now_and_then() {
    if (Clock::now() - written_ < kInterval) return;
    mutex_.unlock();
    write();
    mutex_.lock();
}

/// Calls in which the host waits for the device are told by their names.
void Recorder::decide_causes() {
    constexpr std::string_view kWaiting[] = {
        "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy",
        "cuCtxSynchronize",      "cuStreamSynchronize",   "cuEventSynchronize"};
    whole_.starts = sums_.starts, whole_.kernel_seconds = sums_.kernels, whole_.link_seconds = sums_.links;
    whole_.repeated_seconds = sums_.repeated;
    whole_.pageable_seconds = sums_.pageable, whole_.pinned_seconds = sums_.pinned;
    whole_.waits = 0;
    for (const auto& call : profile_.calls)
        if (std::find(std::begin(kWaiting), std::end(kWaiting), call.name) != std::end(kWaiting))
            whole_.waits += call.times.calls;
    profile_.causes = profile::program_causes(whole_);
}

void Recorder::join_streams(profile::Profile& out) const {
    bool several = false;
    for (std::size_t entry = 0; entry < of_streams_.size(); ++entry) {
        auto& k = out.kernels[entry];
        k.launches.clear(), k.launches_left_out = 0, k.predicted.reset();
        several |= of_streams_[entry].parts.size() > 1;
        for (const auto& [stream, part] : of_streams_[entry].parts) {
            for (const auto& launches : part.launches) add_launches(k, launches);
            k.launches_left_out += part.launches_left_out;
            const auto mean = part.mean();
            if (k.predicted && mean)
                k.predicted->average(*mean);
            else if (mean)
                k.predicted = mean;
        }
    }
    if (!several) return;
    for (auto& event : out.events) {
        if (event.kind != profile::Event::Kind::kernel || event.what >= of_streams_.size()) continue;
        const OfStreams& of = of_streams_[event.what];
        if (event.number >= of.came.size()) continue;
        const auto& [stream, number] = of.came[event.number];
        event.number = number;
        for (auto at = of.parts.begin(); at->first != stream; ++at) event.number += at->second.calls;
    }
}

/// Kernels stand in the order of their first launches in the first stream that has any of theirs.
void Recorder::order_kernels(profile::Profile& out) const {
    std::vector<std::size_t> order(of_streams_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto place = [&](std::size_t entry) {
        const auto& [stream, part] = *of_streams_[entry].parts.begin();
        return std::pair{stream, part.first};
    };
    std::ranges::sort(order, {}, place);
    std::vector<profile::KernelUse> kernels;
    std::vector<std::uint32_t> now(order.size());
    for (const std::size_t entry : order) {
        now[entry] = static_cast<std::uint32_t>(kernels.size());
        kernels.push_back(std::move(out.kernels[entry]));
    }
    out.kernels = std::move(kernels);
    for (auto& event : out.events)
        if (event.kind == profile::Event::Kind::kernel && event.what < now.size()) event.what = now[event.what];
}

void Recorder::write() {
    if (!on_ || Runtime::get().forked()) return;
    const host_time::In profile(host_time::Work::profile);
    auto& runtime = Runtime::get();
    std::lock_guard lock(mutex_);
    written_ = Clock::now();
    profile_.host_seconds = std::chrono::duration<double>(written_ - started_).count();
    profile_.model = runtime.model().name;
    profile_.model_file = runtime.model().file;
    profile_.calls = calls_;
    if (runtime.started() && !runtime.settings.checks())
        profile_.findings = runtime.device()->finding_log()->findings();
    for (std::size_t k = 0; k < calls_.size(); ++k) profile_.calls[k].name = api_name(static_cast<unsigned>(k));
    decide_causes();
    profile_.emulator = emulator_time();
    const std::string part = runtime.settings.profile + ".part";
    bool written = false;
    {
        std::ofstream out(part, std::ios::binary);
        auto whole = profile_;
        join_streams(whole);
        order_kernels(whole);
        out << profile::to_json(whole);
        written = static_cast<bool>(out.flush());
    }
    // An older one that stands there would be taken for the whole. Where its folder is gone nobody reads it any more.
    if ((!written || std::rename(part.c_str(), runtime.settings.profile.c_str()) != 0) && errno != ENOENT)
        runtime.say("the profile cannot be written to " + runtime.settings.profile + ": " + std::strerror(errno) +
                    "; what the program did since it was written last is missing in the report");
}

}  // namespace warpwright::cudart
