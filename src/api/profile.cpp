// A launch with all results: counts by line, findings, occupancy, bound.
#include "warpwright/profile.hpp"

#include <algorithm>
#include <sstream>

#include "api/state.hpp"
#include "arch/model.hpp"
#include "compile/kernel/entries.hpp"
#include "predict/launch_work.hpp"
#include "support/demangle.hpp"
#include "support/source_files.hpp"

namespace warpwright {

static std::optional<std::string> line_of(const std::string& text, unsigned number) {
    std::istringstream in(text);
    std::string line;
    for (unsigned k = 0; k < number; ++k)
        if (!std::getline(in, line)) return std::nullopt;
    return line;
}

Result<Profile> take_profile(Device& device, const Program& program, const std::string& kernel, Extent grid,
                             Extent block, const std::vector<Argument>& arguments, const LaunchOptions& options) {
    auto& state = device.state();
    if (state.device->name() != "emulated")
        return Error{ErrorKind::usage,
                     "profiles are of the emulated device, and this is " + state.device->name(),
                     {},
                     "Device::open() without a name"};
    LaunchOptions all = options;
    all.counters = all.per_line = true;
    auto log = state.device->need(&device::Device::finding_log);
    if (!log) return log.error();
    (*log)->clear_findings();
    Profile out;
    out.grid = grid, out.block = block;
    out.checkers = state.checkers;
    all.output = &out.output;
    auto model = state.load_model();
    if (!model) return model.error();
    // A checked launch keeps no trace.
    SourceFiles files;
    const auto* loaded = Device::state_if_any(program);
    const auto line = [&](const std::string& file, unsigned number) -> std::optional<std::string> {
        for (const auto& [name, text] : loaded->sources)
            if (name == file) return line_of(text, number);
        return files.line(file, number);
    };
    predict::Predictor predictor(*model, predict::Simulate::all, line);
    api::Predicting predicting{&predictor};
    auto ran =
        api::launch(state, loaded, kernel, grid, block, arguments, all, state.checkers == 0 ? &predicting : nullptr);
    out.findings = (*log)->findings();
    // A fault that ends a launch is a result too; an error that prevents the launch is not.
    if (!ran && ran.error().kind != ErrorKind::fault) return ran.error();
    if (!ran) out.error = ran.error();
    if (ran && ran->counts) out.counts = std::move(*ran->counts);

    auto& inside = device.state_of(program);
    auto name = compile::find_entry(inside.names, kernel);
    if (!name) return name.error();
    out.kernel = demangle(*name);
    if (const auto parameters = out.kernel.find('('); parameters != std::string::npos) out.kernel.resize(parameters);
    out.sources = inside.sources;
    out.model = model->name;
    if (predicting.predicted && *predicting.predicted) out.predicted = std::move(**predicting.predicted);
    auto info = inside.module->kernel(*name);
    if (!info) return info.error();
    predict::Work work = predict::launch_work(**info, api::config_of(grid, block, options));
    work.counts = out.counts.total;
    if (ran) work.touched = ran->touched;
    out.local_bytes = (*info)->local;
    out.occupancy = predict::occupancy_record(work, *model);
    if (ran) out.bound = predict::bound(work, *model);
    return out;
}

}  // namespace warpwright
