// A grid that a kernel launches passes the same checks as one of the host's, but its error becomes the CUDA error code
// that the kernel reads.
#include "device/emulated/nested.hpp"

#include "launch/check.hpp"
#include "launch/pack.hpp"
#include "support/cause.hpp"

namespace warpwright::device {

std::uint32_t NestedLaunches::check(engine::ChildGrid& g) {
    namespace error = engine::device_error;
    const KernelInfo* info = module_.kernel(g.kernel);
    if (!info) return error::invalid_device_function;
    const auto bytes = launch::parameter_bytes(*info);
    if (bytes > engine::ParameterBlock::kBytes / 2) return error::invalid_configuration;
    g.config.opted_in_shared = side_ ? side_->most_dynamic_shared(module_, *info) : 0;
    const auto cluster = launch::check(*info, g.config, limits_, bytes, {});
    if (!cluster) {
        const auto code = warpwright::info(cluster.error().cause).cuda;
        return code ? static_cast<std::uint32_t>(code) : error::invalid_configuration;
    }
    g.config.cluster = *cluster;
    g.explicit_cluster = info->required_cluster.x != 0;
    return 0;
}

timeline::Work NestedLaunches::ended(const engine::ChildGrid& g, const LaunchResult& result) {
    if (!side_) return {};
    return side_->ended(module_, *module_.kernel(g.kernel), g.config, result, {g.id, g.parent, g.depth});
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
