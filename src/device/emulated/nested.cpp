#include "device/emulated/nested.hpp"

#include <algorithm>

#include "device/launch_check.hpp"

namespace warpwright::device {

namespace {

LaunchConfig config_of(const engine::ChildGrid& g) {
    LaunchConfig c;
    c.grid = {g.grid[0], g.grid[1], g.grid[2]};
    c.block = {g.block[0], g.block[1], g.block[2]};
    c.dynamic_shared = g.dynamic_shared;
    return c;
}

}  // namespace

std::uint32_t NestedLaunches::check(engine::ChildGrid& g) {
    namespace error = engine::device_error;
    const KernelInfo* info = module_.kernel(g.kernel);
    if (!info) return error::invalid_device_function;
    const auto config = config_of(g);
    std::uint64_t bytes = 0;
    for (const auto& p : info->parameters) bytes = std::max<std::uint64_t>(bytes, std::uint64_t{p.offset} + p.size);
    const std::vector<std::byte> parameters(bytes);  // filled in later
    if (bytes > engine::ParameterBlock::kBytes / 2 || !check_launch(*info, config, limits_, parameters, {}))
        return error::invalid_configuration;
    // (check_launch() has ensured that the sum is small.)
    if (info->static_shared + g.dynamic_shared > limits_.shared_per_block &&
        (!side_ || g.dynamic_shared > side_->most_dynamic_shared(module_, *info)))
        return error::invalid_value;
    const auto cluster = check_cluster(*info, config, {});
    if (!cluster) return error::invalid_configuration;
    const std::uint32_t blocks[3] = {cluster->x, cluster->y, cluster->z};
    for (int k = 0; k < 3; ++k) g.cluster[k] = blocks[k];
    g.explicit_cluster = info->required_cluster.x != 0;
    return 0;
}

timeline::Work NestedLaunches::ended(const engine::ChildGrid& g, engine::LaunchReply& reply) {
    if (!side_) return {};
    LaunchResult result;
    result.counts = std::move(reply.counts);
    result.touched = reply.touched;
    result.host_seconds = reply.run_seconds;
    result.compile_seconds = reply.compile_seconds;
    return side_->ended(module_, *module_.kernel(g.kernel), config_of(g), result, {g.id, g.parent, g.depth});
}

timeline::Work NestedLaunches::moved(bool fill, std::uint64_t bytes) {
    return side_ ? side_->moved(fill, bytes) : timeline::Work{};
}

std::uint32_t NestedLaunches::ask(Question question, ptx::SymbolId function, const std::uint64_t* arguments,
                                  std::vector<std::byte>& answer) {
    return side_ ? side_->ask(question, module_, module_.kernel(function), arguments, answer)
                 : engine::device_error::not_supported;
}

}  // namespace warpwright::device
