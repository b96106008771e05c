// A real device times its streams itself; for an emulated one the predictor supplies each launch's time to the modelled
// clock. An experiment is written once for all of them.
#include "lab/experiments/workbench.hpp"
#include "lab/sweep/emulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "device/opencl/opencl_device.hpp"
#include "ladder/find.hpp"
#include "launch/limits.hpp"
#include "launch/pack.hpp"
#include "predict/kernel_time.hpp"
#include "predict/launch_work.hpp"
#include "support/settings.hpp"

namespace warpwright::lab {
namespace {

const device::KernelInfo* info_of(const device::Module& module, const std::string& kernel) {
    for (const device::KernelInfo& k : module.kernels())
        if (k.name == kernel) return &k;
    return nullptr;
}

/// Asks for what the prediction of a launch needs.
void before(predict::Predictor& predictor, const device::Step& step, device::LaunchOptions& options) {
    if (const auto* info = info_of(*step.module, step.kernel))
        options.trace = predictor.trace_request(*info, step.config);
}

/// The launch as the modelled clock takes it; the least time of any where it was not counted.
timeline::Work work_of(predict::Predictor& predictor, const arch::DeviceModel& model, const device::Step& step,
                       const device::LaunchResult& result) {
    timeline::Work least;
    least.kind = timeline::Kind::kernel;
    const auto* info = info_of(*step.module, step.kernel);
    if (!result.counts || !info) return least;
    predict::Work work = predict::launch_work(*info, step.config, result);
    const auto predicted = predictor.predict(step.kernel, work);
    return predict::kernel_time(work, model, predicted);
}

}  // namespace

Workbench Workbench::on(const Context& context) {
    Workbench out;
    out.device_ = &context.device;
    out.model_ = &context.model;
    out.target_ = context.target ? context.target : std::make_shared<Target>();
    out.options_ = context.options.launch;
    out.options_.per_line = false;
    out.predictor_ = std::make_shared<predict::Predictor>(
        context.model, context.real() ? predict::Simulate::none : context.options.simulate);
    return out;
}

Result<Workbench> Workbench::emulated(const Context& context) {
    Workbench out = on(context);
    auto options = emulated_options(context);
    options.limits = launch::limits_of(context.model);
    if (context.real()) out.predictor_ = std::make_shared<predict::Predictor>(context.model, context.options.simulate);
    device::ModelledTime time{timeline::model_of(context.model), {}};
    time.kernel = [model = &context.model, predictor = out.predictor_](const auto& step, const auto& result) {
        return work_of(*predictor, *model, step, result);
    };
    time.before = [predictor = out.predictor_](const auto& step, auto& launch) { before(*predictor, step, launch); };
    options.time = std::make_shared<const device::ModelledTime>(std::move(time));
    auto device = device::make_emulated(options);
    if (!device) return std::move(device).error();
    out.owned_ = std::move(*device);
    out.device_ = out.owned_.get();
    if (out.target_->compute_capability != 0 || out.target_->opencl) out.target_ = std::make_shared<Target>();
    return out;
}

Result<Workbench> Workbench::with_streams(const Context& context) {
    if (context.real() && context.device.limits().language == device::Language::ptx) return on(context);
    return emulated(context);
}

Result<Workbench> Workbench::opencl(const Context& context, int ordinal) {
    Workbench out = on(context);
    auto device = device::make_opencl(ordinal);
    if (!device) return std::move(device).error();
    out.owned_ = std::move(*device);
    out.device_ = out.owned_.get();
    out.target_ = std::make_shared<Target>();
    out.target_->opencl = true;
    return out;
}

Workbench::~Workbench() {
    if (device_) release_all();
}

void Workbench::release_all() {
    for (device::Address at : held_) (void)device_->release(at).ok();
    held_.clear();
}

Result<device::Address> Workbench::allocate(std::uint64_t bytes) {
    auto at = device_->allocate(bytes);
    if (at) held_.push_back(*at);
    return at;
}

Result<std::shared_ptr<device::Module>> Workbench::load(const std::string& file,
                                                        const std::vector<std::string>& defines) {
    auto path = kernel_file(file);
    if (!path) return std::move(path).error();
    auto text = compile_to_ptx(*path, defines, {}, *target_);
    if (!text) return std::move(text).error();
    return device_->load(*path, std::move(*text));
}

Result<device::Step> Workbench::step(std::shared_ptr<device::Module> module, const std::string& kernel,
                                     const device::LaunchConfig& config, const std::vector<Argument>& arguments) const {
    auto info = module->kernel(kernel);
    if (!info) return std::move(info).error();
    std::vector<launch::Argument> bytes;
    for (const Argument& a : arguments)
        bytes.push_back(std::visit([](const auto& v) { return launch::argument(v); }, a));
    auto parameters = launch::pack(**info, bytes);
    if (!parameters) return std::move(parameters).error();
    return device::Step{std::move(module), kernel, config, std::move(*parameters)};
}

Result<device::LaunchResult> Workbench::run(const device::Step& step) const {
    device::LaunchOptions options = options_;
    before(*predictor_, step, options);
    return device_->launch(*step.module, step.kernel, step.config, step.parameters, options);
}

double Workbench::predicted_seconds(const device::Step& step, const device::LaunchResult& result) const {
    return work_of(*predictor_, *model_, step, result).seconds;
}

Result<std::string> kernel_file(const std::string& name) {
    std::error_code ec;
    for (const std::string& folder : ladder::kernel_folders())
        if (const std::string path = folder + "/" + name; std::filesystem::is_regular_file(path, ec)) return path;
    return Error{ErrorKind::input,
                 "the kernel file is not installed",
                 {name, 0, 0},
                 fmt::format("{} names folders of kernels", settings::variable(Setting::kernels))};
}

Figure with_prefix(double value, const std::string& unit) {
    if (!std::isfinite(value)) return {"-"};
    if (value == 0) return {"0 " + unit};
    constexpr struct {
        double scale;
        const char* prefix;
    } kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    for (const auto& p : kPrefixes)
        if (std::abs(value) >= 0.9995 * p.scale || p.scale == 1e-9) {
            const double v = value / p.scale;
            return {fmt::format("{:.{}f} {}{}", v,
                                std::abs(v) >= 99.95   ? 0
                                : std::abs(v) >= 9.995 ? 1
                                                       : 2,
                                p.prefix, unit)};
        }
    return {};
}

double median_of(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace warpwright::lab
