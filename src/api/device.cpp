// A device of the public interface hides one of the internal devices, so that the installed headers name no type of the
// implementation. Errors of the caller, such as a program of another device, are refused here before anything is
// launched.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "api/state.hpp"
#include "compile/kernel/compile.hpp"
#include "compile/kernel/entries.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/emulated/emulated.hpp"
#include "launch/limits.hpp"
#include "launch/pack.hpp"
#include "predict/launch_work.hpp"
#include "support/settings.hpp"

namespace warpwright {

namespace api {

launch::LaunchConfig config_of(Extent grid, Extent block, const LaunchOptions& options) {
    launch::LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.dynamic_shared = options.dynamic_shared;
    config.cooperative = options.cooperative;
    return config;
}

}  // namespace api

std::vector<std::string> Program::kernels() const { return state_ ? state_->names : std::vector<std::string>{}; }

std::string default_model() { return arch::kDefaultModel; }

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

namespace {

/// "cuda:1" is 1, "cuda" and "auto" are 0.
Result<std::optional<int>> ordinal_of(const std::string& name) {
    if (name == "emulated") return std::optional<int>();
    if (name == "auto" || name == "cuda") return std::optional(0);
    int number = -1;
    if (name.starts_with("cuda:")) {
        auto [rest, problem] = std::from_chars(name.data() + 5, name.data() + name.size(), number);
        if (problem != std::errc{} || rest != name.data() + name.size()) number = -1;
    }
    if (number < 0)
        return Error{
            ErrorKind::usage, "there is no device '" + name + "'", {}, "devices: auto, emulated, cuda, cuda:N"};
    return std::optional(number);
}

}  // namespace

Result<arch::DeviceModel> Device::State::load_model() const { return arch::load_model(arch::model_or_default(model)); }

Result<Device> Device::open(const DeviceOptions& options) {
    if (auto wrong = settings::wrong(); !wrong.empty()) return std::move(wrong.front());
    auto ordinal = ordinal_of(options.device);
    if (!ordinal) return ordinal.error();
    auto state = std::make_unique<State>();
    state->cache_directory = options.cache_directory;
    if (*ordinal) {
        device::CudaOptions cuda;
        cuda.ordinal = **ordinal;
        cuda.cache_directory = options.cache_directory;
        auto list = device::list_cuda();
        auto made = list ? device::make_cuda(cuda) : Result<std::unique_ptr<device::Device>>(list.error());
        if (!made && options.device != "auto") return made.error();
        if (made) {
            const device::CudaDeviceInfo& info = (*list)[static_cast<std::size_t>(**ordinal)];
            state->device = std::move(made).value();
            state->compute_capability = info.limits.compute_capability;
            // Without NVRTC clang compiles; a missing tool is then reported when a kernel needs it.
            if (auto nvrtc = compile::Nvrtc::open(compile::NvrtcSearch::of_machine(), info.driver_version); nvrtc)
                state->nvrtc = std::move(*nvrtc);
            return Device(std::move(state));
        }
    }
    device::EmulatedOptions emulated;
    if (!options.checkers.empty()) {
        auto set = record::parse_checkers(options.checkers);
        if (!set) return set.error();
        state->checkers = emulated.checkers = *set & record::kKernelCheckers;
    }
    if (!options.model.empty()) {
        state->model = options.model;
        auto model = state->load_model();
        if (!model) return model.error();
        emulated.limits = launch::limits_of(*model);
    }
    emulated.threads = options.threads;
    emulated.cpu = options.cpu;
    emulated.cache_directory = options.cache_directory;
    emulated.sources = std::make_shared<SourceFiles>();
    auto made = device::make_emulated(emulated);
    if (!made) return made.error();
    state->device = std::move(made).value();
    return Device(std::move(state));
}

std::string Device::name() const { return state_->device->name(); }

Result<std::string> Device::State::to_ptx(const std::string& path, const std::vector<std::string>& defines,
                                          const std::vector<std::filesystem::path>& include_folders,
                                          std::optional<std::string> text) const {
    compile::CompileRequest request;
    request.path = path;
    request.text = std::move(text);
    request.defines = defines;
    for (const auto& folder : include_folders) request.include_dirs.push_back(folder.string());
    compile::CompileOptions with;
    with.cache_dir = cache_directory;
    auto compiled = compute_capability == 0
                        ? compile::compile(request, with)
                        : compile::compile_for_device(request, compute_capability, nvrtc.get(), with);
    if (!compiled) return compiled.error();
    return std::move(compiled->ptx);
}

Result<Program> Device::compile(const std::filesystem::path& source, const CompileOptions& options) {
    auto ptx = state_->to_ptx(source.string(), options.defines, options.include_folders);
    if (!ptx) return ptx.error();
    return load_ptx(source.string(), std::move(*ptx));
}

Result<Program> Device::compile_text(std::string name, std::string text, const CompileOptions& options) {
    auto ptx = state_->to_ptx(name, options.defines, options.include_folders, text);
    if (!ptx) return ptx.error();
    auto program = load_ptx(name, std::move(*ptx));
    if (program) program->state_->sources.emplace_back(std::move(name), std::move(text));
    return program;
}

std::vector<record::Finding> Device::findings() const {
    auto* log = state_->device->finding_log();
    return log ? log->findings() : std::vector<record::Finding>{};
}

Result<Program> Device::load_ptx(std::string name, std::string text) {
    auto module = state_->device->load(std::move(name), std::move(text));
    if (!module) return module.error();
    Program program;
    program.state_ = std::make_shared<Program::State>();
    program.state_->module = std::move(module).value();
    program.state_->device = state_->device.get();
    for (const auto& kernel : program.state_->module->kernels()) program.state_->names.push_back(kernel.name);
    return program;
}

Result<Buffer> Device::allocate(std::uint64_t bytes) {
    auto address = state_->device->allocate(bytes);
    if (!address) return address.error();
    return Buffer{*address, bytes};
}

Result<void> Device::release(const Buffer& buffer) { return state_->device->release(buffer.address); }

namespace {

Error too_long(const char* verb, std::uint64_t bytes, const Buffer& buffer) {
    return {ErrorKind::usage,
            std::string("cannot ") + verb + " " + std::to_string(bytes) + " bytes: the buffer has " +
                std::to_string(buffer.bytes),
            {},
            {}};
}

}  // namespace

Result<void> Device::write(const Buffer& to, std::span<const std::byte> from) {
    if (from.size() > to.bytes) return too_long("write", from.size(), to);
    return state_->device->write(to.address, from);
}

Result<void> Device::read(std::span<std::byte> to, const Buffer& from) {
    if (to.size() > from.bytes) return too_long("read", to.size(), from);
    return state_->device->read(to, from.address);
}

Result<Launch> Device::launch(const Program& program, const std::string& kernel, Extent grid, Extent block,
                              const std::vector<Argument>& arguments, const LaunchOptions& options) {
    return api::launch(*state_, program.state_.get(), kernel, grid, block, arguments, options);
}

Result<Launch> api::launch(Device::State& state, const Program::State* program, const std::string& kernel, Extent grid,
                           Extent block, const std::vector<Argument>& arguments, const LaunchOptions& options,
                           Predicting* predicting) {
    if (!program || program->device != state.device.get())
        return Error{ErrorKind::usage, "the program was not loaded on this device", {}, {}};
    auto name = compile::find_entry(program->names, kernel);
    if (!name) return name.error();
    auto info = program->module->kernel(*name);
    if (!info) return info.error();
    std::vector<launch::Argument> bytes;
    for (const Argument& a : arguments) bytes.push_back(a.bytes());
    auto parameters = launch::pack(**info, bytes);
    if (!parameters) return parameters.error();
    const auto config = api::config_of(grid, block, options);
    device::LaunchOptions with;
    with.counters = options.counters;
    with.per_line = options.per_line;
    with.timeout = options.timeout;
    with.output = options.output;
    if (predicting) with.trace = predicting->predictor->trace_request(**info, config);
    auto ran = state.device->launch(*program->module, *name, config, *parameters, with);
    if (!ran) return ran.error();
    if (predicting && ran->counts)
        predicting->predicted = predicting->predictor->predict(*name, predict::launch_work(**info, config, *ran));
    Launch launch;
    launch.counts = std::move(ran->counts);
    launch.touched = ran->touched;
    launch.host_seconds = ran->host_seconds;
    launch.compile_seconds = ran->compile_seconds;
    launch.output = std::move(ran->output);
    launch.device_seconds = ran->device_seconds;
    launch.kernel = *name;
    return launch;
}

}  // namespace warpwright
