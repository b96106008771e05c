// Records of activities and counted launches arrive in either order and are joined by CUPTI's correlation number.
// Driver calls within a runtime call are left out, so that each call of the program counts once.
#include "cupti/collector.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "host/self.hpp"
#include "profile/names.hpp"
#include "support/settings.hpp"

namespace warpwright::cupti {
namespace {

constexpr std::size_t kMostEvents = 500000, kMostCalls = 4000000;

const char* copy_name(unsigned kind) {
    switch (kind) {
        case 1:
            return "[CUDA memcpy HtoD]";
        case 2:
            return "[CUDA memcpy DtoH]";
        case 3:
            return "[CUDA memcpy HtoA]";
        case 4:
            return "[CUDA memcpy AtoH]";
        case 5:
            return "[CUDA memcpy AtoA]";
        case 6:
            return "[CUDA memcpy AtoD]";
        case 7:
            return "[CUDA memcpy DtoA]";
        case 8:
            return "[CUDA memcpy DtoD]";
        case 9:
            return "[CUDA memcpy HtoH]";
        case 10:
            return "[CUDA memcpy PtoP]";
        default:
            return "[CUDA memcpy]";
    }
}

/// "cudaMalloc" of "cudaMalloc_v3020", "cuMemcpyHtoD" of "cuMemcpyHtoD_v2".
std::string plain(std::string name) {
    for (const char* end : {"_ptsz", "_ptds"})
        if (name.size() > 5 && name.ends_with(end)) name.resize(name.size() - 5);
    const auto at = name.rfind("_v");
    if (at != std::string::npos && at + 2 < name.size() &&
        name.find_first_not_of("0123456789", at + 2) == std::string::npos)
        name.resize(at);
    return name;
}

}  // namespace

Settings Settings::of_environment() {
    Settings s;
    s.profile = settings::text(Setting::profile);
    s.kernel = settings::text(Setting::kernel);
    s.launches = settings::whole(Setting::launches, 0);
    s.skip = settings::whole(Setting::launch_skip, 0);
    s.events = settings::flag(Setting::events, false);
    s.counters = settings::flag(Setting::counters, true);
    std::string word;
    for (char c : settings::text(Setting::metrics) + ",") {
        if (c != ',')
            word += c;
        else if (!word.empty())
            s.metrics.push_back(std::exchange(word, ""));
    }
    return s;
}

std::string Asked::key() const {
    const auto text = [](const record::Extent& e) {
        return "/" + std::to_string(e.x) + "," + std::to_string(e.y) + "," + std::to_string(e.z);
    };
    return name + text(grid) + text(block) + "/" + std::to_string(dynamic_shared);
}

Collector::Collector(const Library& library, Settings settings) : library_(library), settings_(std::move(settings)) {
    profile_.program = host::command_line();
    profile_.counted = settings_.counters;
    profile_.device = "GPU";
    library_.table.timestamp(&base_);
}

bool Collector::wanted(const Asked& launch) {
    if (!profile::matches(launch.name, settings_.kernel)) return false;
    std::lock_guard lock(mutex_);
    const auto number = matched_++;
    if (number < settings_.skip || (settings_.launches && number >= settings_.skip + settings_.launches)) return false;
    if (settings_.skip || settings_.launches) chosen_.insert(launch.correlation);
    return true;
}

bool Collector::uncounted(const Asked& launch) {
    std::lock_guard lock(mutex_);
    auto& launches = counted_[launch.key()];
    if (!settings_.launches && launches >= (spent_ > settings_.patience ? 1 : settings_.counted_launches)) return false;
    ++launches;
    // Its activity records may arrive before its counters.
    counted_launches_.insert(launch.correlation);
    return true;
}

profile::KernelUse& Collector::use(const Asked& launch, std::size_t& index) {
    auto [at, fresh] = kernels_.try_emplace(launch.key(), profile_.kernels.size());
    if (fresh) {
        profile::KernelUse k;
        k.name = launch.name, k.grid = launch.grid, k.block = launch.block, k.dynamic_shared = launch.dynamic_shared;
        profile_.kernels.push_back(std::move(k));
    }
    index = at->second;
    auto& k = profile_.kernels[index];
    if (launch.registers) {
        k.registers = launch.registers, k.static_shared = launch.static_shared;
        k.registers_source = record::kByDriver;
    }
    return k;
}

void Collector::counted(const Asked& launch, const std::vector<Metric>& metrics, const std::vector<double>& values,
                        double seconds, unsigned passes) {
    std::lock_guard lock(mutex_);
    std::size_t index = 0;
    auto& k = use(launch, index);
    held_.erase(launch.correlation);
    ++k.counted;
    ++profile_.replayed;
    profile_.passes = passes;
    k.times.add(seconds);
    for (std::size_t m = 0; m < metrics.size() && m < values.size(); ++m) {
        if (!std::isfinite(values[m])) continue;
        for (auto c : metrics[m].counts) {
            k.counts[c] += static_cast<std::uint64_t>(std::llround(std::max(0.0, values[m])));
            if (!profile_.knows(c))
                for (const auto& name : record::count_names())
                    if (name.count == c) profile_.counted_keys.emplace_back(name.key);
        }
        if (!metrics[m].counts.empty()) continue;
        auto& kept = k.metrics[metrics[m].name];
        if (metrics[m].name.ends_with(".sum"))
            kept += values[m];
        else
            kept += (values[m] - kept) / static_cast<double>(k.counted);
    }
    const auto length = static_cast<std::uint64_t>(seconds * 1e9);
    event(profile::Event::Kind::kernel, index, launch.stream,
          launch.ended > length ? launch.ended - length : launch.ended, seconds);
}

void Collector::will_not_be_counted(const Asked& launch) {
    std::lock_guard lock(mutex_);
    counted_launches_.erase(launch.correlation);
    if (auto& launches = counted_[launch.key()]; launches) --launches;
    auto& taken = repeated_in_vain_[launch.correlation];
    if (auto at = held_.find(launch.correlation); at != held_.end()) {
        timed(at->second, launch);
        held_.erase(at);
        taken = true;
    }
}

void Collector::spent(double seconds) {
    std::lock_guard lock(mutex_);
    profile_.replay_seconds = spent_ += seconds;
}

void Collector::event(profile::Event::Kind kind, std::size_t what, std::uint64_t lane, std::uint64_t start,
                      double seconds, std::uint64_t number) {
    if (!settings_.events) return;
    if (profile_.events.size() >= kMostEvents)
        ++profile_.events_dropped;
    else
        profile_.events.push_back({kind, static_cast<std::uint32_t>(what), lane,
                                   start > base_ ? static_cast<double>(start - base_) * 1e-9 : 0, seconds, number});
}

void Collector::kernel(const KernelRecord& r) {
    Asked a;
    a.name = r.name ? r.name : "?";
    if (!profile::matches(a.name, settings_.kernel)) return;
    const auto extent = [](const std::int32_t(&v)[3]) {
        return record::Extent{static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
                              static_cast<std::uint32_t>(v[2])};
    };
    a.grid = extent(r.grid), a.block = extent(r.block);
    a.dynamic_shared = static_cast<std::uint64_t>(r.dynamic_shared),
    a.static_shared = static_cast<std::uint64_t>(r.static_shared);
    a.registers = r.registers, a.correlation = r.correlation;
    if ((settings_.skip || settings_.launches) && !chosen_.contains(r.correlation)) return;
    // It was repeated for its counters, so its time is the one that was counted.
    if (counted_launches_.contains(r.correlation)) {
        std::size_t index = 0;
        (void)use(a, index);  // only this gives the registers of a library's kernel
        held_[r.correlation] = r;
    } else if (auto at = repeated_in_vain_.find(r.correlation); at == repeated_in_vain_.end())
        timed(r, a);
    else if (!std::exchange(at->second, true))
        timed(r, a);
}

void Collector::timed(const KernelRecord& r, const Asked& launch) {
    std::size_t index = 0;
    auto& k = use(launch, index);
    const double seconds = r.end > r.start ? static_cast<double>(r.end - r.start) * 1e-9 : 0;
    k.times.add(seconds);
    event(profile::Event::Kind::kernel, index, r.stream, r.start, seconds, k.times.calls - 1);
}

void Collector::copy(const std::string& name, std::uint64_t bytes, std::uint32_t stream, std::uint64_t start,
                     std::uint64_t end) {
    auto [at, fresh] = copies_.try_emplace(name, profile_.copies.size());
    if (fresh) profile_.copies.push_back({name, {}, 0});
    auto& c = profile_.copies[at->second];
    const double seconds = end > start ? static_cast<double>(end - start) * 1e-9 : 0;
    c.times.add(seconds);
    c.bytes += bytes;
    event(profile::Event::Kind::copy, at->second, stream, start, seconds, bytes);
}

void Collector::add(std::uint8_t* buffer, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    std::uint32_t* record = nullptr;
    while (library_.table.next_record(buffer, bytes, &record) == code::success) {
        const void* at = record;
        switch (*record) {
            case kind::concurrent_kernel:
                kernel(*static_cast<const KernelRecord*>(at));
                break;
            case kind::memcpy_: {
                const auto& r = *static_cast<const MemcpyRecord*>(at);
                copy(copy_name(r.copy_kind), r.bytes, r.stream, r.start, r.end);
                break;
            }
            case kind::memcpy_peer: {
                const auto& r = *static_cast<const PeerRecord*>(at);
                copy(copy_name(10), r.bytes, r.stream, r.start, r.end);
                break;
            }
            case kind::memset_: {
                const auto& r = *static_cast<const MemsetRecord*>(at);
                copy("[CUDA memset]", r.bytes, r.stream, r.start, r.end);
                break;
            }
            case kind::driver:
            case kind::runtime: {
                const auto& r = *static_cast<const ApiRecord*>(at);
                // 600 is "not ready", which is an answer and no error.
                api_.push_back({r.start, r.end, r.function, r.thread, r.correlation, r.kind == kind::runtime,
                                r.result != 0 && r.result != 600});
                break;
            }
            default:
                break;
        }
    }
    if (api_.size() >= kMostCalls) settle_calls();
    if (Clock::now() - written_ > std::chrono::seconds(2)) write_locked();
}

std::size_t Collector::call_index(const Api& call) {
    const auto id = static_cast<std::uint64_t>(call.function) << 1 | (call.runtime ? 1 : 0);
    auto [at, fresh] = calls_.try_emplace(id, 0);
    if (fresh) {
        const char* name = nullptr;
        library_.table.callback_name(call.runtime ? domain::runtime_api : domain::driver_api, call.function, &name);
        const std::string shown =
            name ? plain(name) : (call.runtime ? "runtime call " : "driver call ") + std::to_string(call.function);
        auto [index, first] = calls_by_name_.try_emplace(shown, profile_.calls.size());
        if (first) profile_.calls.push_back({shown, {}, 0});
        at->second = index->second;
    }
    return at->second;
}

void Collector::settle_calls() {
    // A runtime call makes driver calls itself: only a thread's outermost call is the program's.
    std::sort(api_.begin(), api_.end(), [](const Api& a, const Api& b) {
        if (a.thread != b.thread) return a.thread < b.thread;
        if (a.start != b.start) return a.start < b.start;
        if (a.end != b.end) return a.end > b.end;
        return a.runtime > b.runtime;
    });
    std::uint64_t inside_until = 0;
    const Api* before = nullptr;
    for (const Api& a : api_) {
        if (!before || before->thread != a.thread) inside_until = 0;
        before = &a;
        if (!a.runtime && a.end <= inside_until) continue;
        if (a.runtime) inside_until = std::max(inside_until, a.end);
        // A launch that was repeated for its counters occupied the host for all its passes: that time is not the
        // program's.
        if (counted_launches_.contains(a.correlation)) continue;
        const auto index = call_index(a);
        auto& c = profile_.calls[index];
        if (c.name == "cuKernelGetName") continue;  // CUPTI's own, one for each launch
        const double seconds = a.end > a.start ? static_cast<double>(a.end - a.start) * 1e-9 : 0;
        c.times.add(seconds);
        if (a.failed) ++c.failed;
        event(profile::Event::Kind::call, index, a.thread, a.start, seconds);
    }
    api_.clear();
}

void Collector::device(const std::string& name) {
    std::lock_guard lock(mutex_);
    profile_.device = name;
}

void Collector::note(const std::string& line) {
    std::lock_guard lock(mutex_);
    if (std::find(profile_.notes.begin(), profile_.notes.end(), line) == profile_.notes.end())
        profile_.notes.push_back(line);
}

void Collector::write() {
    std::lock_guard lock(mutex_);
    write_locked();
}

void Collector::write_locked() {
    settle_calls();
    written_ = Clock::now();
    profile_.host_seconds = std::chrono::duration<double>(written_ - started_).count();
    const std::string part = settings_.profile + ".part";
    {
        std::ofstream out(part, std::ios::binary);
        out << profile::to_json(profile_);
        if (!out.flush()) return;
    }
    std::rename(part.c_str(), settings_.profile.c_str());
}

}  // namespace warpwright::cupti
