// Reasons are tested in a fixed order, from the shape over memory, parameters and registers to clusters and residency,
// so that a launch with several faults is always refused for the same one.
#include "launch/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arch/occupancy.hpp"
#include "launch/pack.hpp"
#include "support/cause.hpp"
#include "support/demangle.hpp"

namespace warpwright::launch {
namespace {

std::string text(const Extent& e) { return fmt::format("{}x{}x{}", e.x, e.y, e.z); }

/// One launch under its limits; each member refuses it for one kind of reason.
class Check {
public:
    Check(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits, const Location& where)
        : k_(kernel), c_(config), limits_(limits), where_(where) {}

    std::optional<Error> sizes() const;
    std::optional<Error> shared() const;
    std::optional<Error> parameters(std::uint64_t given) const;
    std::optional<Error> registers() const;
    Result<Extent> cluster() const;
    std::optional<Error> resident() const;

private:
    Error refused(ErrorKind kind, Cause cause, const std::string& what, std::string hint = "") const {
        return {kind, "launch of '" + demangle(k_.name) + "': " + what, where_, std::move(hint), cause};
    }
    Error over(Cause cause, const std::string& what, std::uint64_t have, std::uint64_t most,
               std::string hint = "") const {
        return refused(ErrorKind::limit, cause, fmt::format("{} is {}, the device allows {}", what, have, most),
                       std::move(hint));
    }
    /// What a multiprocessor holds of it; absent where no model says.
    std::optional<arch::Occupancy> occupancy(std::uint64_t shared) const {
        if (!limits_.model || limits_.model->limits.threads_per_sm == 0) return std::nullopt;
        return arch::occupancy(*limits_.model, k_.registers, shared, c_.block.count());
    }

    const KernelInfo& k_;
    const LaunchConfig& c_;
    const Limits& limits_;
    const Location& where_;
};

std::optional<Error> Check::sizes() const {
    for (auto [name, e] : {std::pair{"grid", c_.grid}, std::pair{"block", c_.block}})
        if (e.x == 0 || e.y == 0 || e.z == 0)
            return refused(ErrorKind::usage, Cause::launch_limit, fmt::format("the {} has a dimension of 0", name),
                           "every dimension is at least 1");
    const struct {
        const char* what;
        std::uint32_t have, most;
    } extents[] = {{"grid.x", c_.grid.x, limits_.grid.x},    {"grid.y", c_.grid.y, limits_.grid.y},
                   {"grid.z", c_.grid.z, limits_.grid.z},    {"block.x", c_.block.x, limits_.block.x},
                   {"block.y", c_.block.y, limits_.block.y}, {"block.z", c_.block.z, limits_.block.z}};
    for (const auto& e : extents)
        if (e.have > e.most) return over(Cause::launch_limit, e.what, e.have, e.most);
    if (c_.block.count() > limits_.threads_per_block)
        return over(Cause::launch_limit, "threads per block", c_.block.count(), limits_.threads_per_block);
    if (k_.max_threads && c_.block.count() > k_.max_threads)
        return over(Cause::launch_limit, "threads per block (.maxntid of the kernel)", c_.block.count(),
                    k_.max_threads);
    if (k_.required_block.x && !(c_.block == k_.required_block))
        return refused(ErrorKind::limit, Cause::launch_limit,
                       "the kernel requires blocks of " + text(k_.required_block));
    return std::nullopt;
}

std::optional<Error> Check::shared() const {
    // Each is tested separately first, because their sum could wrap.
    const auto most = limits_.shared_per_block_optin;
    const auto sum = k_.static_shared + std::min(c_.dynamic_shared, ~k_.static_shared);
    if (k_.static_shared > most || c_.dynamic_shared > most - k_.static_shared)
        return over(Cause::shared_limit, "shared memory per block in bytes", sum, most);
    if (c_.opted_in_shared && sum > limits_.shared_per_block && c_.dynamic_shared > *c_.opted_in_shared)
        return over(
            Cause::shared_limit, "shared memory per block in bytes", sum, limits_.shared_per_block,
            fmt::format("cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize allows up to {}", most));
    return std::nullopt;
}

std::optional<Error> Check::parameters(std::uint64_t given) const {
    const auto wanted = parameter_bytes(k_);
    if (given >= wanted) return std::nullopt;
    return Error{
        ErrorKind::usage,
        fmt::format("kernel '{}' takes {} bytes of parameters, {} were given", demangle(k_.name), wanted, given),
        where_, ""};
}

std::optional<Error> Check::registers() const {
    if (k_.registers_source == record::kEstimated) return std::nullopt;
    const auto o = occupancy(0);
    if (!o || o->refusal.empty()) return std::nullopt;
    return refused(
        ErrorKind::limit, Cause::register_limit, o->refusal,
        fmt::format("a thread has {} registers: take fewer threads, or limit them by __launch_bounds__", k_.registers));
}

Result<Extent> Check::cluster() const {
    const auto wrong = [&](ErrorKind kind, const std::string& what) {
        return refused(kind, Cause::cluster_size, what);
    };
    Extent cluster = c_.cluster;
    if (cluster == Extent{0, 0, 0}) {
        if (k_.explicit_cluster && k_.required_cluster.x == 0)
            return wrong(ErrorKind::usage,
                         "the kernel is .explicitcluster: the launch must say how many blocks a cluster has");
        cluster = k_.required_cluster.x ? k_.required_cluster : Extent{1, 1, 1};
    }
    if (cluster.count() == 0) return wrong(ErrorKind::usage, "the cluster has a dimension of 0");
    if (k_.required_cluster.x && !(cluster == k_.required_cluster))
        return wrong(ErrorKind::limit,
                     "the kernel requires clusters of " + text(k_.required_cluster) + ", not " + text(cluster));
    auto most = std::min<std::uint64_t>(kMostClusterBlocks, c_.most_cluster);
    if (k_.max_cluster) most = std::min<std::uint64_t>(most, k_.max_cluster);
    // Each direction is tested first, because the product of three could wrap.
    if (std::max({cluster.x, cluster.y, cluster.z}) > most || cluster.count() > most)
        return wrong(ErrorKind::limit, fmt::format("blocks per cluster are {}, allowed are {}", cluster.count(), most));
    if (c_.grid.x % cluster.x || c_.grid.y % cluster.y || c_.grid.z % cluster.z)
        return wrong(ErrorKind::usage, "clusters of " + text(cluster) + " do not divide the grid of " + text(c_.grid));
    return cluster;
}

/// Blocks of a cooperative grid wait for each other: all must be resident at once.
std::optional<Error> Check::resident() const {
    if (!c_.cooperative) return std::nullopt;
    const auto o = occupancy(k_.static_shared + c_.dynamic_shared);
    if (!o) return std::nullopt;
    const std::uint64_t most = std::uint64_t{o->blocks} * limits_.model->sm.multiprocessors;
    if (c_.grid.count() <= most) return std::nullopt;
    return refused(
        ErrorKind::limit, Cause::cooperative_limit,
        fmt::format("a cooperative grid of {} blocks, of which {} can be resident at once", c_.grid.count(), most));
}

}  // namespace

Result<Extent> check(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits,
                     std::uint64_t parameters, const Location& where) {
    const Check check(kernel, config, limits, where);
    if (auto refused = check.sizes()) return *std::move(refused);
    if (auto refused = check.shared()) return *std::move(refused);
    if (auto refused = check.parameters(parameters)) return *std::move(refused);
    if (auto refused = check.registers()) return *std::move(refused);
    auto cluster = check.cluster();
    if (!cluster) return cluster;
    if (auto refused = check.resident()) return *std::move(refused);
    return cluster;
}

}  // namespace warpwright::launch
