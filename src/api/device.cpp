#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "compile/compile.hpp"
#include "compile/entries.hpp"
#include "device/device.hpp"
#include "warpwright/warpwright.hpp"

namespace warpwright {

struct Program::State {
    std::shared_ptr<device::Module> module;
    device::Device* device = nullptr;  ///< where it was loaded
    std::vector<std::string> names;
};

struct Device::State {
    std::unique_ptr<device::Device> device;
    std::string cache_directory;
};

namespace {

/// The headers for device code that are installed with this library, wherever its prefix was moved to; empty when it
/// is not installed (the compile room then looks in its own places).
std::string installed_toolchain() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&installed_toolchain), &info) == 0 || !info.dli_fname) return {};
    std::error_code ec;
    auto folder = std::filesystem::canonical(info.dli_fname, ec).parent_path();
    // <prefix>/lib or <prefix>/lib/<architecture>
    for (int up = 0; up < 2 && !ec; ++up) {
        folder = folder.parent_path();
        const auto toolchain = folder / "share/warpwright/toolchain";
        if (std::filesystem::is_directory(toolchain, ec)) return toolchain.string();
        ec.clear();
    }
    return {};
}

}  // namespace

std::vector<std::string> Program::kernels() const { return state_ ? state_->names : std::vector<std::string>{}; }

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

Result<Device> Device::open(const DeviceOptions& options) {
    device::EmulatedOptions emulated;
    emulated.threads = options.threads;
    emulated.cpu = options.cpu;
    emulated.cache_directory = options.cache_directory;
    auto made = device::make_emulated(emulated);
    if (!made) return made.error();
    auto state = std::make_unique<State>();
    state->device = std::move(made).value();
    state->cache_directory = options.cache_directory;
    return Device(std::move(state));
}

Result<Program> Device::compile(const std::filesystem::path& source, const CompileOptions& options) {
    compile::CompileRequest request;
    request.path = source.string();
    request.defines = options.defines;
    for (const auto& folder : options.include_folders) request.include_dirs.push_back(folder.string());
    compile::CompileOptions with;
    with.cache_dir = state_->cache_directory;
    if (!std::getenv("WARPWRIGHT_TOOLCHAIN")) with.toolchain_dir = installed_toolchain();
    auto compiled = compile::compile(request, with);
    if (!compiled) return compiled.error();
    return load_ptx(request.path, std::move(compiled->ptx));
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

/// The parameter block that holds the arguments, or why they do not fit the kernel.
Result<std::vector<std::byte>> parameter_block(const device::KernelInfo& kernel,
                                               const std::vector<Argument>& arguments) {
    if (arguments.size() != kernel.parameters.size())
        return Error{ErrorKind::usage,
                     kernel.name + " takes " + std::to_string(kernel.parameters.size()) + " arguments, " +
                         std::to_string(arguments.size()) + " given",
                     {},
                     {}};
    std::vector<std::byte> block;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const device::Parameter& parameter = kernel.parameters[i];
        const auto bytes = arguments[i].bytes();
        if (bytes.size() != parameter.size)
            return Error{ErrorKind::usage,
                         "argument " + std::to_string(i + 1) + " of " + kernel.name + " has " +
                             std::to_string(bytes.size()) + " bytes, its parameter (." + parameter.type + ") " +
                             std::to_string(parameter.size),
                         {},
                         "pass a value of exactly the parameter's type"};
        if (block.size() < parameter.offset + std::size_t{parameter.size})
            block.resize(parameter.offset + std::size_t{parameter.size});
        std::memcpy(block.data() + parameter.offset, bytes.data(), bytes.size());
    }
    return block;
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
    if (!program.state_ || program.state_->device != state_->device.get())
        return Error{ErrorKind::usage, "the program was not loaded on this device", {}, {}};
    auto name = compile::find_entry(program.state_->names, kernel);
    if (!name) return name.error();
    std::vector<std::byte> parameters;
    for (const device::KernelInfo& info : program.state_->module->kernels()) {
        if (info.name != *name) continue;
        auto made = parameter_block(info, arguments);
        if (!made) return made.error();
        parameters = std::move(made).value();
    }
    device::LaunchConfig config;
    config.grid = {grid.x, grid.y, grid.z};
    config.block = {block.x, block.y, block.z};
    config.dynamic_shared = options.dynamic_shared;
    device::LaunchOptions with;
    with.counters = options.counters;
    with.per_line = options.per_line;
    with.timeout = options.timeout;
    auto ran = state_->device->launch(*program.state_->module, *name, config, parameters, with);
    if (!ran) return ran.error();
    Launch launch;
    launch.counts = std::move(ran->counts);
    launch.host_seconds = ran->host_seconds;
    launch.compile_seconds = ran->compile_seconds;
    launch.output = std::move(ran->output);
    return launch;
}

}  // namespace warpwright
