#include "device/cuda_launch.hpp"

#include <algorithm>
#include <thread>

#include "device/cuda_output.hpp"
#include "device/launch_check.hpp"

namespace warpwright::device::cuda {
namespace {

Result<void> check_resident(CudaModule& module, const KernelInfo& k, Function function, const LaunchConfig& c) {
    ContextHolder& context = module.context();
    const CudaDeviceInfo& info = context.info();
    if (!info.cooperative)
        return Error{ErrorKind::limit, "launch of '" + k.name + "': " + info.device() + " has no cooperative launches", module.where(), ""};
    int blocks = 0;
    if (Status s = context.table().resident_blocks(&blocks, function, static_cast<int>(c.block.count()), c.dynamic_shared);
        s != status::success)
        return context.failed(s, "launch of '" + k.name + "': asking how many blocks are resident", module.where());
    const std::uint64_t most = std::uint64_t(std::max(blocks, 0)) * info.limits.multiprocessors;
    if (c.grid.count() <= most) return {};
    return Error{ErrorKind::limit,
                 "launch of '" + k.name + "': a cooperative grid of " + std::to_string(c.grid.count()) + " blocks, " + info.device() +
                     " holds " + std::to_string(most) + " of them at a time",
                 module.where(), ""};
}

}  // namespace

std::vector<void*> parameter_pointers(const KernelInfo& kernel, std::span<const std::byte> block) {
    std::vector<void*> out;
    for (const Parameter& p : kernel.parameters) out.push_back(const_cast<std::byte*>(block.data()) + p.offset);
    return out;
}

Result<ReadyLaunch> make_ready(CudaModule& module, const std::string& name, const LaunchConfig& config,
                               std::span<const std::byte> parameters) {
    auto kernel = module.kernel(name);
    if (!kernel) return std::move(kernel).error();
    const KernelInfo& k = **kernel;
    ContextHolder& context = module.context();
    const Limits& limits = context.info().limits;
    if (auto ok = check_launch(k, config, limits, parameters, module.where()); !ok) return std::move(ok).error();
    auto function = module.function(name);
    if (!function) return std::move(function).error();
    if (k.static_shared + config.dynamic_shared > limits.shared_per_block) {
        const Status s = context.table().function_set_attribute(*function, FunctionAttribute::dynamic_shared_max,
                                                                static_cast<int>(config.dynamic_shared));
        if (s != status::success)
            return context.failed(s, "launch of '" + name + "': asking for " + std::to_string(config.dynamic_shared) +
                                         " bytes of dynamic shared memory", module.where());
    }
    if (config.cooperative)
        if (auto ok = check_resident(module, k, *function, config); !ok) return std::move(ok).error();
    ReadyLaunch out;
    out.function = *function;
    out.config = config;
    out.block.assign(parameters.begin(), parameters.end());
    out.pointers = parameter_pointers(k, out.block);
    out.where = module.where();
    out.kernel = name;
    return out;
}

Result<void> enqueue(ContextHolder& context, ReadyLaunch& l) {
    const DriverTable& t = context.table();
    const LaunchConfig& c = l.config;
    const auto shared = static_cast<unsigned>(c.dynamic_shared);
    void** pointers = l.pointers.empty() ? nullptr : l.pointers.data();
    Status s = status::success;
    if (t.launch_extended) {
        LaunchAttribute attribute{};
        attribute.id = LaunchAttribute::Id::cooperative;
        attribute.value.flag = 1;
        const LaunchShape shape{c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, shared, context.stream(),
                                &attribute, c.cooperative ? 1u : 0u};
        s = t.launch_extended(&shape, l.function, pointers, nullptr);
    } else if (c.cooperative) {
        s = t.launch_cooperative(l.function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, shared,
                                 context.stream(), pointers);
    } else {
        s = t.launch(l.function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, shared, context.stream(),
                     pointers, nullptr);
    }
    if (s == status::success) return {};
    return context.failed(s, "launch of '" + l.kernel + "'", l.where);
}

Result<void> wait(ContextHolder& context, Event event, std::chrono::milliseconds timeout, const std::string& what,
                  const Location& where) {
    using Clock = std::chrono::steady_clock;
    const DriverTable& t = context.table();
    const auto begin = Clock::now();
    Status s = status::not_ready;
    if (timeout.count() == 0) {
        s = t.event_wait(event);
    } else {
        while ((s = t.event_query(event)) == status::not_ready) {
            const auto spent = Clock::now() - begin;
            if (spent >= timeout) {
                const std::string why = what + " is still running after " + std::to_string(timeout.count()) + " ms";
                context.give_up(why);
                return Error{ErrorKind::fault, why, where,
                             "a running kernel cannot be stopped: it ends with this program; --device emulated names the source line"};
            }
            // Short kernels are not kept waiting, long ones do not keep a core busy.
            if (spent > std::chrono::milliseconds(2)) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    if (s == status::success) return {};
    return context.failed(s, what, where);
}

Result<LaunchResult> launch(CudaModule& module, const std::string& name, const LaunchConfig& config,
                            std::span<const std::byte> parameters, const LaunchOptions& options) {
    ContextHolder& context = module.context();
    auto ready = make_ready(module, name, config, parameters);
    if (!ready) return std::move(ready).error();
    const DriverTable& t = context.table();
    CatchOutput output(module.prints(name));
    if (Status s = t.event_record(context.first(), context.stream()); s != status::success)
        return context.failed(s, "launch of '" + name + "': starting the clock", module.where());
    if (auto ok = enqueue(context, *ready); !ok) return std::move(ok).error();
    if (Status s = t.event_record(context.last(), context.stream()); s != status::success)
        return context.failed(s, "launch of '" + name + "': stopping the clock", module.where());
    if (auto ok = wait(context, context.last(), options.timeout, "kernel '" + name + "'", module.where()); !ok) return std::move(ok).error();
    // The events alone do not make the driver hand out what was printed.
    if (Status s = t.stream_wait(context.stream()); s != status::success)
        return context.failed(s, "kernel '" + name + "'", module.where());
    LaunchResult result;
    result.output = output.finish();
    float milliseconds = 0;
    if (t.event_elapsed(&milliseconds, context.first(), context.last()) == status::success)
        result.device_seconds = 1e-3 * static_cast<double>(milliseconds);
    return result;
}

}  // namespace warpwright::device::cuda
