// A launch is packed and checked at the call, where its errors belong, and runs later with a copy of its arguments.
// After it has run, its predicted time is passed to the modelled clock and its findings are told.
#include "cudart/work/launch/kernel_launch.hpp"

#include <chrono>
#include <cstring>
#include <utility>

#include "cudart/memory/host_tensors.hpp"
#include "cudart/memory/pageable.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/conditional.hpp"
#include "cudart/work/graph/graphs_in_use.hpp"
#include "cudart/work/launch/device_launches.hpp"
#include "cudart/work/launch/launch_observer.hpp"
#include "cudart/work/program_observer.hpp"
#include "device/emulated/sampled_launch.hpp"
#include "launch/check.hpp"
#include "launch/pack.hpp"
#include "predict/kernel_time.hpp"
#include "predict/launch_work.hpp"
#include "support/host_time.hpp"

namespace warpwright::cudart {
namespace {

/// The calling thread's configurations that no launch has taken yet. A thread's objects are destroyed before the
/// handlers of exit() run, in which a program may launch kernels: the object then lasts as long as the process.
std::vector<Configuration>& configurations() {
    thread_local std::vector<Configuration>* stack = nullptr;
    struct Owner {
        ~Owner() { delete std::exchange(stack, nullptr); }
    };
    if (!stack) {
        stack = new std::vector<Configuration>;
        thread_local Owner owner;
    }
    return *stack;
}

}  // namespace

cudaError_t no_kernel(const void* address) {
    return address ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

void push_configuration(const Configuration& configuration) { configurations().push_back(configuration); }

std::optional<Configuration> pop_configuration() {
    auto& stack = configurations();
    if (stack.empty()) return std::nullopt;
    auto c = stack.back();
    stack.pop_back();
    return c;
}

/// Why a launch was refused: its error code does not say, and no kernel has run that a report could show. Only where
/// somebody watches the program, which may try launches that it knows to fail.
static void tell_refused(const Error& error) {
    auto& runtime = Runtime::get();
    if (!runtime.settings.profile.empty() || runtime.settings.checks()) runtime.say(error);
}

cudaError_t prepare(Launch& launch, const void* address, dim3 grid, dim3 block, size_t shared, void** arguments,
                    void** extra) {
    auto& runtime = Runtime::get();
    auto* kernel = Registry::get().kernel(address);
    if (!kernel) return no_kernel(address);
    if (auto e = Registry::get().ready(*kernel); e != cudaSuccess) return e;
    launch.kernel = kernel;
    launch.device = current_device();
    auto& c = launch.config;
    c.grid = {grid.x, grid.y, grid.z};
    c.block = {block.x, block.y, block.z};
    c.dynamic_shared = shared;
    c.opted_in_shared = kernel->most_dynamic_shared;
    if (!kernel->wide_clusters) c.most_cluster = launch::kMostPortableCluster;
    const auto& info = *kernel->info;
    const auto bytes = launch::parameter_bytes(info);
    if (auto ok = launch::check(info, c, runtime.device()->limits(), bytes, {}); !ok) {
        tell_refused(ok.error());
        return code_of(ok.error());
    }
    if (extra && extra[0]) {
        // Pairs of a key (1: the buffer, 2: the address of its size), ended by 0.
        const void* buffer = nullptr;
        size_t size = 0;
        for (int k = 0; k < 4 && extra[k]; k += 2) {
            if (extra[k] == reinterpret_cast<void*>(1)) buffer = extra[k + 1];
            if (extra[k] == reinterpret_cast<void*>(2)) size = *static_cast<const size_t*>(extra[k + 1]);
        }
        launch.parameters.assign(bytes, std::byte{0});
        if (buffer) std::memcpy(launch.parameters.data(), buffer, std::min<size_t>(size, bytes));
    } else {
        if (!arguments && !info.parameters.empty()) return cudaErrorInvalidValue;
        launch.parameters = launch::pack_pointers(info, arguments);
    }
    return cudaSuccess;
}

/// Whether more is wanted of a launch's prediction than its time.
static bool anybody_looks() { return !Runtime::get().settings.profile.empty() || is_observed() || at_once(); }

static Result<record::Predicted> not_simulated() {
    return Error{ErrorKind::limit, "no time is predicted: grids that kernels launch are not simulated", {}, ""};
}

Timed timed(const Launch& launch, const device::LaunchResult& result, bool from_device) {
    const host_time::In predicting(host_time::Work::predicting);
    auto& runtime = Runtime::get();
    Timed out;
    out.work.kind = timeline::Kind::kernel;
    out.work.device = static_cast<std::uint8_t>(launch.device);
    if (!result.counts) return out;
    predict::Work work = predict::launch_work(*launch.kernel->info, launch.config, result);
    std::optional<Result<record::Predicted>> predicted;
    if (!from_device && !anybody_looks()) {
        const auto seconds = runtime.predictor().seconds(launch.kernel->name, work);
        out.work = predict::kernel_time(work, runtime.model(), seconds ? std::optional(*seconds) : std::nullopt);
    } else {
        predicted = from_device ? not_simulated() : runtime.predictor().predict(launch.kernel->name, work);
        out.work = predict::kernel_time(work, runtime.model(), *predicted);
    }
    out.work.device = static_cast<std::uint8_t>(launch.device);
    // What it reads and writes of other devices' memory comes over the link, meanwhile.
    const auto& total = result.counts->total;
    const auto read = 32 * total[record::Count::peer_load_sectors],
               written = 32 * total[record::Count::peer_store_sectors];
    const double over_link = read || written ? Scheduler::get().model().over_link(read, written) : 0;
    if (over_link > out.work.seconds) {
        out.work.seconds = over_link;
        if (predicted && *predicted) (*predicted)->seconds = over_link;
    }
    out.touched = work.touched.value_or(record::Touched{});
    if (!predicted) return out;
    if (*predicted)
        out.predicted = std::move(**predicted);
    else if (runtime.predicts())
        out.unpredicted = predicted->error().what;
    return out;
}

/// What kernels did that a GPU does not notice. (Under the checkers all findings are told in the end.)
static void tell_findings() {
    auto& runtime = Runtime::get();
    const auto* log = runtime.device()->finding_log();
    if (log->checkers()) return;
    for (const auto& f : log->findings())
        runtime.say(Error{ErrorKind::fault,
                          f.kernel + ": " + f.message + "; a GPU does not notice that, so the program goes on",
                          {f.at.file, f.at.line, f.at.column},
                          "run --strict ends here, check finds all such accesses"});
}

timeline::Work run(const Launch& launch) {
    auto& runtime = Runtime::get();
    const OnDevice on_device(static_cast<int>(launch.device));
    if (runtime.sticky() != cudaSuccess || runtime.ending()) return {};
    const auto& settings = runtime.settings;
    device::LaunchOptions options;
    options.counters = settings.counters && !settings.checks();
    options.per_line = settings.per_line;
    if (options.counters && runtime.predicts()) {
        const host_time::In predicting(host_time::Work::predicting);
        auto& predictor = runtime.predictor();
        options.trace = predictor.trace_request(*launch.kernel->info, launch.config, launch.parameters);
        // Pictures are of the trace itself.
        if (options.trace.blocks != 0 && !settings.pictures)
            options.known_course = predictor.known_course(*launch.kernel->info, launch.config);
    }
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(settings.timeout * 1000));
    options.device = launch.device, options.reach = runtime.reach(launch.device);
    if (const auto* graph = current_conditions()) options.graph = reinterpret_cast<std::uint64_t>(graph->graph());
    std::string printed;
    options.output = &printed;
    std::optional<record::Sample> sample;
    launch::EmulatedResult nested;
    Children children(launch);
    for (auto* observer : program_observers()) observer->begins(launch);
    HostTensors::get().bring(launch.parameters);
    auto result = [&]() -> Result<device::LaunchResult> {
        auto& device = *runtime.device();
        auto& module = *launch.kernel->binary->module();
        auto* sampler = device.sampler();
        if (!sampler) return device.launch(module, launch.kernel->name, launch.config, launch.parameters, options);
        // Blocks of a cooperative launch wait for each other.
        const double error = launch.config.cooperative ? 0 : settings.sample;
        auto r = sampler->launch_sample(module, launch.kernel->name, launch.config, launch.parameters, options, error,
                                        &children);
        if (!r) return std::move(r).error();
        sample = std::move(r->sample);
        nested.nested = std::move(r->nested), nested.tails = std::move(r->tails);
        return std::move(r->result);
    }();
    HostTensors::get().take_back(launch.parameters);
    for (auto* observer : program_observers()) observer->ends(launch);
    AtOnce* const caller = at_once();
    if (caller)
        caller->output = std::move(printed);
    else if (!printed.empty())
        runtime.print(printed);
    for (auto* observer : program_observers()) observer->over();
    if (!caller) tell_findings();
    if (!result) {
        if (runtime.ending()) return {};
        tell_failed(launch, result.error());
        if (caller) {
            caller->error = std::move(result).error();
            return {};
        }
        for (auto* observer : program_observers()) observer->failed(launch, result.error());
        if (!settings.checks() || result.error().kind != ErrorKind::fault) runtime.say(result.error());
        runtime.stick(code_of(result.error()));
        return {};
    }
    auto time = timed(launch, *result, false);
    tell_launched(launch, *result, time, false);
    const host_time::In profile(host_time::Work::profile);
    for (auto* observer : program_observers()) observer->launched(launch, *result, sample, time, false);
    return nested.whole(std::move(time.work));
}

cudaError_t queue(std::shared_ptr<Launch> launch, const std::shared_ptr<Stream>& stream) {
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    launch->call = calling_place();
    if (const auto capture = stream->capture.get()) {
        std::lock_guard graphs(graphs_in_use());
        return capture->add_kernel(std::move(launch), stream);
    }
    auto& scheduler = Scheduler::get();
    scheduler.make_room(stream);
    reach_through(launch->parameters);
    const bool wait = point_to_pageable(launch->parameters);
    if (wait && thread_state().in_host_function) return cudaErrorNotPermitted;
    for (auto* observer : program_observers()) observer->queuing_launches(launch->parameters);
    auto ticket = scheduler.put(
        stream, [launch = std::move(launch)] { return run(*launch); }, By::waiter, {},
        timeline::Timeline::Call::takes_time);
    for (auto* observer : program_observers()) observer->queued_launches(ticket.issued);
    if (wait) scheduler.wait(ticket);
    return cudaSuccess;
}

}  // namespace warpwright::cudart
