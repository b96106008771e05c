// All that a launch needs is checked before the driver sees it, because the driver answers most mistakes with one
// status. The launch then takes cuLaunchKernelEx where the driver has it, and the older calls elsewhere.
#include "device/cuda/launch.hpp"

#include <algorithm>
#include <thread>

#include "device/cuda/output.hpp"
#include "launch/check.hpp"

namespace warpwright::device::cuda {
namespace {

constexpr std::uint64_t kPortableCluster = 8;  ///< blocks that a cluster may have without opt-in

/// The attributes of a launch, and its shape, which points at them.
struct Shape {
    LaunchAttribute attributes[3]{};
    LaunchShape shape{};
    Shape(const LaunchConfig& c, const Extent& cluster, Stream stream)
        : shape{
              c.grid.x, c.grid.y,   c.grid.z, c.block.x, c.block.y, c.block.z, static_cast<unsigned>(c.dynamic_shared),
              stream,   attributes, 0} {
        if (c.cooperative) {
            LaunchAttribute& a = attributes[shape.attribute_count++];
            a.id = LaunchAttribute::Id::cooperative;
            a.value.flag = 1;
        }
        if (cluster.count() > 1) {
            LaunchAttribute& a = attributes[shape.attribute_count++];
            a.id = LaunchAttribute::Id::cluster;
            a.value.extent = {cluster.x, cluster.y, cluster.z};
        }
        if (c.programmatic) {
            LaunchAttribute& a = attributes[shape.attribute_count++];
            a.id = LaunchAttribute::Id::programmatic;
            a.value.flag = 1;
        }
    }
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
};

/// A function to be launched, for messages.
struct Candidate {
    CudaModule& module;
    const KernelInfo& kernel;
    Function function;
    const LaunchConfig& config;
    Extent cluster;
    std::string launch() const { return "launch of '" + kernel.name + "': "; }
    std::string cluster_text() const {
        return std::to_string(cluster.x) + "x" + std::to_string(cluster.y) + "x" + std::to_string(cluster.z);
    }
};

/// The number of clusters that the device holds at a time; none is an error that names its causes.
Result<std::uint64_t> check_cluster_fits(const Candidate& c) {
    ContextHolder& context = c.module.context();
    const DriverTable& t = context.table();
    const CudaDeviceInfo& info = context.info();
    const auto refuse = [&](const std::string& what, const char* hint) {
        return Error{ErrorKind::limit, c.launch() + what, c.module.where(), hint};
    };
    if (info.limits.compute_capability < 90)
        return refuse("clusters of " + c.cluster_text() + " blocks need compute capability 9.0, " + info.device() +
                          " has " + std::to_string(info.limits.compute_capability / 10) + "." +
                          std::to_string(info.limits.compute_capability % 10),
                      "use a newer device, or --device emulated");
    if (!t.launch_extended || !t.active_clusters)
        return refuse("the driver is too old for clusters", "install a driver for CUDA 12 or newer");
    if (c.cluster.count() > kPortableCluster)
        if (Status s = t.function_set_attribute(c.function, FunctionAttribute::non_portable_cluster, 1);
            s != status::success)
            return context.failed(s, c.launch() + "asking for clusters of more than 8 blocks", c.module.where());
    const Shape shape(c.config, c.cluster, context.stream());
    int clusters = 0;
    if (Status s = t.active_clusters(&clusters, c.function, &shape.shape); s != status::success)
        return context.failed(s, c.launch() + "asking how many clusters are resident", c.module.where());
    if (clusters <= 0)
        return refuse(info.device() + " cannot hold a cluster of " + c.cluster_text() + " blocks of " +
                          std::to_string(c.config.block.count()) + " threads, " + std::to_string(c.kernel.registers) +
                          " registers per thread and " +
                          std::to_string(c.kernel.static_shared + c.config.dynamic_shared) +
                          " bytes of shared memory: its blocks share one group of multiprocessors",
                      "take a smaller cluster or block, or less shared memory");
    return static_cast<std::uint64_t>(clusters);
}

/// `clusters`: the number that the device holds, if the launch has clusters.
Result<void> check_resident(const Candidate& c, std::uint64_t clusters) {
    ContextHolder& context = c.module.context();
    const CudaDeviceInfo& info = context.info();
    if (!info.cooperative)
        return Error{ErrorKind::limit, c.launch() + info.device() + " has no cooperative launches", c.module.where(),
                     ""};
    std::uint64_t most = clusters * c.cluster.count();
    if (clusters == 0) {
        int blocks = 0;
        if (Status s = context.table().resident_blocks(&blocks, c.function, static_cast<int>(c.config.block.count()),
                                                       c.config.dynamic_shared);
            s != status::success)
            return context.failed(s, c.launch() + "asking how many blocks are resident", c.module.where());
        most = std::uint64_t(std::max(blocks, 0)) * info.limits.multiprocessors;
    }
    if (c.config.grid.count() <= most) return {};
    return Error{ErrorKind::limit,
                 c.launch() + "a cooperative grid of " + std::to_string(c.config.grid.count()) + " blocks, " +
                     info.device() + " holds " + std::to_string(most) + " of them at a time",
                 c.module.where(), ""};
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
    auto cluster = launch::check(k, config, limits, parameters.size(), module.where());
    if (!cluster) return std::move(cluster).error();
    auto function = module.function(name);
    if (!function) return std::move(function).error();
    if (k.static_shared + config.dynamic_shared > limits.shared_per_block) {
        const Status s = context.table().function_set_attribute(*function, FunctionAttribute::dynamic_shared_max,
                                                                static_cast<int>(config.dynamic_shared));
        if (s != status::success)
            return context.failed(s,
                                  "launch of '" + name + "': asking for " + std::to_string(config.dynamic_shared) +
                                      " bytes of dynamic shared memory",
                                  module.where());
    }
    const Candidate candidate{module, k, *function, config, *cluster};
    std::uint64_t clusters = 0;
    if (cluster->count() > 1) {
        auto fits = check_cluster_fits(candidate);
        if (!fits) return std::move(fits).error();
        clusters = *fits;
    }
    if (config.cooperative)
        if (auto ok = check_resident(candidate, clusters); !ok) return std::move(ok).error();
    ReadyLaunch out;
    out.function = *function;
    out.config = config;
    out.cluster = *cluster;
    out.block.assign(parameters.begin(), parameters.end());
    out.pointers = parameter_pointers(k, out.block);
    out.where = module.where();
    out.kernel = name;
    return out;
}

Result<void> enqueue(ContextHolder& context, Stream stream, ReadyLaunch& l) {
    const DriverTable& t = context.table();
    const LaunchConfig& c = l.config;
    const auto shared = static_cast<unsigned>(c.dynamic_shared);
    void** pointers = l.pointers.empty() ? nullptr : l.pointers.data();
    Status s = status::success;
    if (t.launch_extended) {
        const Shape shape(c, l.cluster, stream);
        s = t.launch_extended(&shape.shape, l.function, pointers, nullptr);
    } else if (c.cooperative) {
        s = t.launch_cooperative(l.function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, shared,
                                 stream, pointers);
    } else {
        s = t.launch(l.function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, shared, stream,
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
                             "a running kernel cannot be stopped: it ends with this program; --device emulated names "
                             "the source line"};
            }
            // Short kernels are not delayed, and long ones do not keep a core busy.
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
    if (auto ok = enqueue(context, context.stream(), *ready); !ok) return std::move(ok).error();
    if (Status s = t.event_record(context.last(), context.stream()); s != status::success)
        return context.failed(s, "launch of '" + name + "': stopping the clock", module.where());
    if (auto ok = wait(context, context.last(), options.timeout, "kernel '" + name + "'", module.where()); !ok)
        return std::move(ok).error();
    // Waiting for events does not make the driver write what was printed.
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
