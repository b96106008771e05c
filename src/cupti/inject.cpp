// The library that the driver loads into a program (CUDA_INJECTION64_PATH): it asks CUPTI for everything that the
// program does and writes a profile when the program ends.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>

#include "cupti/collector.hpp"
#include "cupti/counters.hpp"
#include "cupti/driver.hpp"
#include "support/settings.hpp"

namespace warpwright::cupti {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

/// The whole state; it is never destroyed, because callbacks come until the process has ended.
struct Injection {
    Library library;
    Settings settings;
    Collector collector;
    Counters counters;
    DriverCalls driver;
    /// Functions that launch, by the layout of their parameters; and those whose launches are not counted.
    std::set<std::uint32_t> plain, shaped, others, per_thread;
    std::recursive_mutex launching;  ///< a counted launch is alone on the host as well
    std::vector<Asked> pending;      ///< launches whose counters are not read yet
    bool counting = false, kernels_traced = false, device_known = false;
    ::pid_t process = ::getpid();

    Injection(Library l, Settings s)
        : library(std::move(l)),
          settings(std::move(s)),
          collector(library, settings),
          counters(library, metrics_for(settings.metrics)) {
        for (const Error& wrong : warpwright::settings::wrong()) collector.note(wrong.text() + "; the default is used");
    }
};

Injection* injection = nullptr;

using Clock = std::chrono::steady_clock;

/// For this thread's current launch.
thread_local bool counted_now = false;
thread_local Clock::time_point counted_since;
thread_local int depth = 0;

double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

void buffer_wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    *bytes = *buffer ? kBufferBytes : 0;
    *records = 0;
}

void buffer_full(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t used) {
    if (used) injection->collector.add(buffer, used);
    std::size_t dropped = 0;
    if (injection->library.table.dropped(context, stream, &dropped) == code::success && dropped)
        injection->collector.note(std::to_string(dropped) +
                                  " activity records were dropped: times and calls are not complete");
    std::free(buffer);
}

void stop_counting(const std::string& problem) {
    auto& i = *injection;
    i.counting = false;
    if (i.counters.forbidden())
        i.collector.note(
            "no permission to read the GPU's counters (ERR_NVGPUCTRPERM), so only times are shown: run as root, or "
            "load the driver "
            "with NVreg_RestrictProfilingToAdminUsers=0, or give a container --cap-add=SYS_ADMIN");
    else
        i.collector.note("no counters: " + problem);
}

/// Reads the counters so far; later launches run normally. `launching` must be held.
void settle() {
    auto& i = *injection;
    if (!i.counters.open()) return;
    const auto start = Clock::now();
    std::vector<Counted> results;
    std::string problem;
    if (i.counters.close(results, problem)) {
        for (const auto& name : i.counters.unknown()) i.collector.note("this GPU has no counter " + name);
        for (std::size_t k = 0; k < results.size() && k < i.pending.size(); ++k)
            i.collector.counted(i.pending[k], i.counters.metrics(), results[k].values, results[k].seconds,
                                i.counters.passes());
    } else {
        for (const auto& launch : i.pending) i.collector.will_not_be_counted(launch);
        if (!i.counters.again()) stop_counting(problem);
    }
    i.pending.clear();
    i.collector.spent(since(start));
}

Asked asked(std::uint32_t function, const CallbackData& data, void*& stream, void*& handle) {
    Asked a;
    LaunchShapeHead head{};
    if (injection->shaped.contains(function)) {
        const auto& p = *static_cast<const LaunchExParameters*>(data.parameters);
        if (p.shape) head = *p.shape;
        handle = p.function;
    } else {
        const auto& p = *static_cast<const LaunchParameters*>(data.parameters);
        for (int d = 0; d < 3; ++d) head.grid[d] = p.grid[d], head.block[d] = p.block[d];
        head.shared = p.shared, head.stream = p.stream;
        handle = p.function;
    }
    a.name = data.symbol ? data.symbol : "?";
    a.grid = {head.grid[0], head.grid[1], head.grid[2]};
    a.block = {head.block[0], head.block[1], head.block[2]};
    a.dynamic_shared = head.shared;
    a.correlation = data.correlation;
    stream = head.stream;
    return a;
}

void entered(std::uint32_t function, const CallbackData& data) {
    auto& i = *injection;
    if (i.others.contains(function)) {
        std::lock_guard lock(i.launching);
        return settle();
    }
    void *stream = nullptr, *handle = nullptr;
    Asked launch = asked(function, data, stream, handle);
    if (!i.device_known) {
        std::uint32_t number = 0;
        if (i.library.table.device_id(data.context, &number) == code::success)
            i.collector.device(i.driver.device_name(static_cast<int>(number)));
        i.device_known = true;
    }
    const bool chosen = i.collector.wanted(launch);
    if (!i.counting) return;
    std::unique_lock lock(i.launching);
    const bool per_thread = i.per_thread.contains(function);
    if (!chosen || i.driver.capturing(stream, per_thread) || !i.collector.uncounted(launch)) return settle();
    if (i.counters.open() && i.counters.open() != data.context) settle();
    if (!i.counting) return;
    const auto start = Clock::now();
    std::string problem;
    bool begun = i.counters.begin(data.context, problem);
    if (!begun && i.kernels_traced && !i.counters.forbidden() &&
        i.library.table.disable(kind::concurrent_kernel) == code::success) {
        // This library cannot count and trace kernels at the same time.
        i.kernels_traced = false;
        begun = i.counters.begin(data.context, problem);
        if (begun)
            i.collector.note(
                "this CUPTI does not time kernels while it counts: launches that were not counted have no time");
        else if (i.library.table.enable(kind::concurrent_kernel) == code::success)
            i.kernels_traced = true;
    }
    if (!begun) {
        i.collector.will_not_be_counted(launch);
        return stop_counting(problem);
    }
    unsigned long long shared = 0;
    i.driver.function_facts(handle, launch.registers, shared);
    launch.static_shared = shared;
    if (i.library.table.stream_id) i.library.table.stream_id(data.context, stream, per_thread, &launch.stream);
    i.pending.push_back(std::move(launch));
    counted_now = true;
    counted_since = start;
    lock.release();  // until the launch has ended
}

void left() {
    if (!counted_now) return;
    auto& i = *injection;
    counted_now = false;
    if (!i.pending.empty()) i.library.table.timestamp(&i.pending.back().ended);
    i.collector.spent(since(counted_since));
    if (i.counters.full()) settle();
    i.launching.unlock();
}

void called(void*, int domain, std::uint32_t function, const void* data) {
    if (!injection || ::getpid() != injection->process) return;
    if (domain == domain::resource) {
        std::lock_guard lock(injection->launching);
        if (static_cast<const ResourceData*>(data)->context == injection->counters.open()) settle();
        return;
    }
    if (domain != domain::driver_api) return;
    const auto& d = *static_cast<const CallbackData*>(data);
    // CUPTI's own launches, made while it repeats one, are not the program's.
    if (d.site == site_enter) {
        if (depth++ == 0) entered(function, d);
    } else if (--depth == 0) {
        left();
    }
}

void finish() {
    if (!injection || ::getpid() != injection->process) return;
    {
        // This does not wait: a launch that never returned must not keep the program from ending.
        std::unique_lock lock(injection->launching, std::try_to_lock);
        if (lock) settle();
    }
    injection->library.table.flush_all(flush_forced);
    injection->collector.write();
}

void watch_launches(Injection& i, void* subscriber) {
    const CuptiFunctions& t = i.library.table;
    // Functions have numbers; their names are looked up.
    for (std::uint32_t number = 1; number < 4096; ++number) {
        const char* text = nullptr;
        if (t.callback_name(domain::driver_api, number, &text) != code::success || !text) continue;
        std::string name = text;
        const bool per_thread = name.ends_with("_ptsz");
        if (per_thread) name.resize(name.size() - 5);
        if (name == "cuLaunchKernel" || name == "cuLaunchCooperativeKernel")
            i.plain.insert(number);
        else if (name == "cuLaunchKernelEx")
            i.shaped.insert(number);
        else if (name == "cuGraphLaunch" || name == "cuLaunchCooperativeKernelMultiDevice")
            i.others.insert(number);
        else
            continue;
        if (per_thread) i.per_thread.insert(number);
        t.enable_callback(1, subscriber, domain::driver_api, number);
    }
}

bool start() {
    Settings settings = Settings::of_environment();
    if (settings.profile.empty() || injection) return true;
    auto library = open_cupti(0);
    if (!library) return false;  // `run` has searched before it started us, and reported what is missing
    auto* i = new Injection(std::move(*library), std::move(settings));
    const CuptiFunctions& t = i->library.table;
    void* subscriber = nullptr;
    const Code subscribed = t.subscribe(&subscriber, called, nullptr);
    if (subscribed != code::success) {
        i->collector.note(subscribed == code::multiple_subscribers
                              ? std::string("another profiler is in the program: nothing could be measured")
                              : "CUPTI does not start: " + i->library.text(subscribed));
        i->collector.write();
        return false;
    }
    injection = i;
    i->counting = i->settings.counters && i->library.counts();
    if (i->settings.counters && !i->library.counts())
        i->collector.note("no counters: " + i->library.title() + " has no range profiler; CUDA 12.6 or newer has");
    watch_launches(*i, subscriber);
    t.enable_callback(1, subscriber, domain::resource, context_ends);
    t.register_buffers(buffer_wanted, buffer_full);
    for (auto k : {kind::runtime, kind::driver, kind::memcpy_, kind::memcpy_peer, kind::memset_}) t.enable(k);
    const Code traced = t.enable(kind::concurrent_kernel);
    i->kernels_traced = traced == code::success;
    if (!i->kernels_traced) i->collector.note("kernels are not timed: " + i->library.text(traced));
    if (t.flush_period) t.flush_period(1000);
    std::atexit(finish);
    return true;
}

}  // namespace
}  // namespace warpwright::cupti

/// The driver calls it when a program starts to use it; 1 means that all is well.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    return warpwright::cupti::start() ? 1 : 0;
}
