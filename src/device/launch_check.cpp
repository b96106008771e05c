#include "device/launch_check.hpp"

#include <algorithm>

#include "support/demangle.hpp"

namespace warpwright::device {

Result<void> check_launch(const KernelInfo& k, const LaunchConfig& c, const Limits& limits,
                          std::span<const std::byte> parameters, const Location& where) {
    const std::string launch = "launch of '" + demangle(k.name) + "': ";
    auto over = [&](const std::string& what, std::uint64_t have, std::uint64_t most) {
        return Error{ErrorKind::limit,
                     launch + what + " is " + std::to_string(have) + ", the device allows " + std::to_string(most),
                     where, ""};
    };
    for (auto [name, d] : {std::pair{"grid", c.grid}, std::pair{"block", c.block}})
        if (d.x == 0 || d.y == 0 || d.z == 0)
            return Error{ErrorKind::usage, launch + "the " + name + " has a dimension of 0", where,
                         "every dimension is at least 1"};
    const struct {
        const char* what;
        std::uint32_t have, most;
    } extents[] = {{"grid.x", c.grid.x, limits.grid.x},    {"grid.y", c.grid.y, limits.grid.y},
                   {"grid.z", c.grid.z, limits.grid.z},    {"block.x", c.block.x, limits.block.x},
                   {"block.y", c.block.y, limits.block.y}, {"block.z", c.block.z, limits.block.z}};
    for (const auto& e : extents)
        if (e.have > e.most) return over(e.what, e.have, e.most);
    if (c.block.count() > limits.threads_per_block)
        return over("threads per block", c.block.count(), limits.threads_per_block);
    if (k.max_threads && c.block.count() > k.max_threads)
        return over("threads per block (.maxntid of the kernel)", c.block.count(), k.max_threads);
    if (k.required_block.x && !(c.block == k.required_block))
        return Error{ErrorKind::limit,
                     launch + "the kernel requires blocks of " + std::to_string(k.required_block.x) + "x" +
                         std::to_string(k.required_block.y) + "x" + std::to_string(k.required_block.z),
                     where, ""};
    // Each is tested separately first, because their sum could wrap.
    const auto most_shared = limits.shared_per_block_optin;
    if (k.static_shared > most_shared || c.dynamic_shared > most_shared - k.static_shared) {
        const auto more = c.dynamic_shared < ~k.static_shared ? c.dynamic_shared : ~k.static_shared;
        return over("shared memory per block in bytes", k.static_shared + more, most_shared);
    }
    std::uint64_t wanted = 0;
    for (const auto& p : k.parameters) wanted = std::max<std::uint64_t>(wanted, std::uint64_t{p.offset} + p.size);
    if (parameters.size() < wanted)
        return Error{ErrorKind::usage,
                     "kernel '" + demangle(k.name) + "' takes " + std::to_string(wanted) + " bytes of parameters, " +
                         std::to_string(parameters.size()) + " were given",
                     where, ""};
    return {};
}

Result<Dim3> check_cluster(const KernelInfo& k, const LaunchConfig& c, const Location& where) {
    auto text = [](const Dim3& d) {
        return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
    };
    auto wrong = [&](ErrorKind kind, const std::string& what) {
        return Error{kind, "launch of '" + demangle(k.name) + "': " + what, where, ""};
    };
    Dim3 cluster = c.cluster;
    if (cluster == Dim3{0, 0, 0}) {
        if (k.explicit_cluster && k.required_cluster.x == 0)
            return wrong(ErrorKind::usage,
                         "the kernel is .explicitcluster: the launch must say how many blocks a cluster has");
        cluster = k.required_cluster.x ? k.required_cluster : Dim3{1, 1, 1};
    }
    if (cluster.count() == 0) return wrong(ErrorKind::usage, "the cluster has a dimension of 0");
    if (k.required_cluster.x && !(cluster == k.required_cluster))
        return wrong(ErrorKind::limit,
                     "the kernel requires clusters of " + text(k.required_cluster) + ", not " + text(cluster));
    const std::uint64_t most = k.max_cluster ? std::min<std::uint64_t>(k.max_cluster, 16) : 16;
    // Each direction is tested first, because the product of three could wrap.
    if (std::max({cluster.x, cluster.y, cluster.z}) > most || cluster.count() > most)
        return wrong(ErrorKind::limit, "blocks per cluster are " + std::to_string(cluster.count()) + ", allowed are " +
                                           std::to_string(most));
    if (c.grid.x % cluster.x || c.grid.y % cluster.y || c.grid.z % cluster.z)
        return wrong(ErrorKind::usage, "clusters of " + text(cluster) + " do not divide the grid of " + text(c.grid));
    return cluster;
}

}  // namespace warpwright::device
