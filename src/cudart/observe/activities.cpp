// What a listener hears is put together on the thread that does the work, which knows its stream and its call.
#include "cudart/observe/activities.hpp"

#include <utility>

#include "cudart/state/activity.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

std::array<std::uint32_t, 3> as_array(const record::Extent& e) { return {e.x, e.y, e.z}; }

/// What of any work is known by the thread that does it.
activity::Done of_this_thread(const timeline::Work& work) {
    const auto& state = thread_state();
    activity::Done done;
    done.kind = work.kind;
    done.seconds = Scheduler::get().seconds_of(work);
    done.correlation = state.work.correlation, done.queued = state.work.queued;
    done.stream = state.stream;
    return done;
}

}  // namespace

Activities& Activities::get() {
    static auto* activities = new Activities;
    return *activities;
}

void Activities::launched(const Launch& launch, const device::LaunchResult&, const std::optional<record::Sample>&,
                          Timed& timed, bool) {
    const auto* listener = activity::listener.load(std::memory_order_acquire);
    if (!listener) return;
    auto done = of_this_thread(timed.work);
    done.name = launch.kernel->name;
    done.device = launch.device;
    done.grid = as_array(launch.config.grid), done.block = as_array(launch.config.block);
    done.cluster = as_array(launch.config.cluster);
    done.dynamic_shared = launch.config.dynamic_shared;
    done.static_shared = launch.kernel->info->static_shared;
    done.registers = launch.kernel->info->registers;
    listener->done(std::move(done));
}

void Activities::copied(const char* name, timeline::Work& work) {
    const auto* listener = activity::listener.load(std::memory_order_acquire);
    if (!listener) return;
    auto done = of_this_thread(work);
    done.name = name;
    done.device = work.device, done.to = work.to;
    done.bytes = work.bytes, done.pageable = work.pageable;
    listener->done(std::move(done));
}

}  // namespace warpwright::cudart
