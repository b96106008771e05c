// The module and the buffers live as long as the probe, so that an experiment launches the same kernel many times
// without compiling it again.
#include "lab/experiments/probe.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "ladder/find.hpp"
#include "support/settings.hpp"

namespace warpwright::lab {

Result<Probe> Probe::load(const Context& context, const std::string& file) {
    std::string path;
    std::error_code ec;
    for (const std::string& folder : ladder::kernel_folders())
        if (path.empty() && std::filesystem::is_regular_file(folder + "/" + file, ec)) path = folder + "/" + file;
    if (path.empty())
        return Error{ErrorKind::input,
                     "the kernel file is not installed",
                     {file, 0, 0},
                     fmt::format("{} names folders of kernels", settings::variable(Setting::kernels))};
    auto target = context.target ? context.target : std::make_shared<Target>();
    auto ptx = compile_to_ptx(path, {}, {}, *target);
    if (!ptx) return std::move(ptx).error();
    auto module = context.device.load(file, std::move(*ptx));
    if (!module) return std::move(module).error();
    Probe out;
    out.device_ = &context.device;
    out.options_ = context.options.launch;
    out.options_.counters = false;
    out.options_.per_line = false;
    out.module_ = std::move(*module);
    return out;
}

Result<device::Address> Probe::words(std::uint64_t count) {
    auto at = device_->allocate(count * 8);
    if (!at) return at;
    held_.push_back(*at);
    if (auto ok = device_->fill(*at, 0, count * 8); !ok) return std::move(ok).error();
    return at;
}

Result<std::vector<std::uint64_t>> Probe::run(const std::string& kernel, launch::Extent grid, launch::Extent block,
                                              std::span<const std::byte> parameters, device::Address out,
                                              std::size_t count) {
    device::LaunchConfig config;
    config.grid = grid;
    config.block = block;
    auto done = device_->launch(*module_, kernel, config, parameters, options_);
    if (!done) return std::move(done).error();
    std::vector<std::uint64_t> words(count);
    if (auto ok = device_->read(std::as_writable_bytes(std::span(words)), out); !ok) return std::move(ok).error();
    return words;
}

Result<void> Probe::set(const std::string& variable, std::span<const std::uint32_t> words) {
    auto at = module_->variable(variable);
    if (!at) return std::move(at).error();
    if (words.size_bytes() > at->second)
        return Error{ErrorKind::internal, "the array '" + variable + "' is smaller", Location{}, ""};
    return device_->write(at->first, std::as_bytes(words));
}

Probe::~Probe() {
    for (device::Address at : held_) (void)device_->release(at).ok();
}

}  // namespace warpwright::lab
