// Launches of the same kernel and configuration share one entry, and events are kept up to a fixed number. The profile
// is written to a second file that then replaces the first, so that a reader never sees half of one.
#include "cudart/observe/recorder.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "profile/names.hpp"

namespace warpwright::cudart {
namespace {

constexpr std::size_t kMostEvents = 500000;
constexpr auto kInterval = std::chrono::seconds(2);

std::vector<std::string> command_line() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

}  // namespace

Recorder& Recorder::get() {
    static auto* recorder = new Recorder;
    return *recorder;
}

Recorder::Recorder() {
    const auto& settings = Runtime::get().settings;
    on_ = !settings.profile.empty();
    events_ = on_ && settings.events;
    if (!on_) return;
    profile_.counted = settings.counters;
    profile_.per_line = settings.per_line;
    profile_.program = command_line();
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

void Recorder::event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, double start, double seconds) {
    if (!events_) return;
    if (profile_.events.size() >= kMostEvents)
        ++profile_.events_dropped;
    else
        profile_.events.push_back({kind, static_cast<std::uint32_t>(what), lane, start, seconds});
}

void Recorder::api(unsigned index, Clock::time_point started, cudaError_t result) {
    if (!on_) return;
    thread_local const auto thread = static_cast<std::uint64_t>(::gettid());
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
        timed.work.tag = *what;
    write_now_and_then();
}

void Recorder::copied(const char* name, timeline::Work& work) {
    if (!on_ || paused_) return;
    const double seconds = Scheduler::get().model().seconds(work);
    std::lock_guard lock(mutex_);
    auto [at, fresh] = copies_.try_emplace(name, profile_.copies.size());
    if (fresh) profile_.copies.push_back({name, {}, 0});
    auto& c = profile_.copies[at->second];
    c.times.add(seconds);
    c.bytes += work.bytes;
    work.tag = at->second;
}

void Recorder::placed(const timeline::Span& span, std::uint64_t stream) {
    if (!events_ || span.tag == timeline::Work::kNoTag) return;
    std::lock_guard lock(mutex_);
    const bool kernel = span.kind == timeline::Kind::kernel;
    event(kernel ? profile::Event::Kind::kernel : profile::Event::Kind::copy, span.tag, stream, span.begin,
          span.seconds);
}

std::optional<std::size_t> Recorder::add(const Launch& launch, const device::LaunchResult& result,
                                         const record::Sample* sample, double seconds, const Timed& timed,
                                         bool from_device) {
    const auto& c = launch.config;
    const auto text = [](const launch::Extent& d) {
        return "/" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
    };
    const auto& settings = Runtime::get().settings;
    if (!profile::matches(launch.kernel->name, settings.kernel)) return std::nullopt;
    const std::string key = launch.kernel->name + text(c.grid) + text(c.block) + "/" +
                            std::to_string(c.dynamic_shared) + (from_device ? "/device" : "");
    const auto number = matched_++;
    if (number < settings.skip || (settings.launches && number >= settings.skip + settings.launches))
        return std::nullopt;
    auto [at, fresh] = kernels_.try_emplace(key, profile_.kernels.size());
    if (fresh) {
        profile::KernelUse k;
        k.name = launch.kernel->name;
        k.from_device = from_device;
        k.grid = c.grid;
        k.block = c.block;
        k.dynamic_shared = c.dynamic_shared;
        k.static_shared = launch.kernel->info->static_shared;
        k.registers = launch.kernel->info->registers;
        k.registers_source = launch.kernel->info->registers_source;
        profile_.kernels.push_back(std::move(k));
    }
    auto& k = profile_.kernels[at->second];
    k.times.add(seconds);
    if (timed.predicted && k.predicted)
        k.predicted->average(*timed.predicted);
    else if (timed.predicted)
        k.predicted = timed.predicted;
    if (!timed.unpredicted.empty()) k.unpredicted = timed.unpredicted;
    k.host_seconds += result.host_seconds;
    k.compile_seconds += result.compile_seconds;
    if (result.counts) {
        k.counts += result.counts->total;
        k.touched += timed.touched;
        ++k.counted;
        for (const auto& l : result.counts->lines) k.lines[{l.file, l.line}] += l.counts;
    }
    if (settings.sample > 0) {
        const std::uint64_t blocks = c.grid.count();
        ++k.sample.launches;
        k.sample.blocks += blocks;
        k.sample.run += sample ? sample->run : blocks;
        if (sample && sample->why_all.empty())
            k.sample.which = sample->which;
        else
            k.sample.why_all = sample ? sample->why_all : from_device ? "launched by a kernel" : "a cooperative launch";
        for (unsigned i = 0; sample && i < record::kCounts; ++i) k.sample.half_width[i] += sample->half_width[i];
    }
    return at->second;
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

void Recorder::write() {
    if (!on_ || Runtime::get().forked()) return;
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
    const std::string part = runtime.settings.profile + ".part";
    {
        std::ofstream out(part, std::ios::binary);
        out << profile::to_json(profile_);
        if (!out.flush()) return;
    }
    std::rename(part.c_str(), runtime.settings.profile.c_str());
}

}  // namespace warpwright::cudart
