// A launch here has its own buffers and arguments, and no reference or verification. Files are searched in the folders
// of kernels alone, so that an experiment finds its own wherever it is installed.
#include "lab/experiments/direct.hpp"

#include <filesystem>

#include "lab/sweep/modelled_launches.hpp"
#include "ladder/find.hpp"
#include "ladder/pack.hpp"
#include "launch/record.hpp"

namespace warpwright::lab {

Result<std::string> own_file(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code ec;
    for (const std::string& folder : ladder::kernel_folders()) {
        // "kernels" itself may be called otherwise where WARPWRIGHT_KERNELS says so.
        const fs::path inside =
            name.starts_with("kernels/") ? fs::path(folder) / name.substr(8) : fs::path(folder).parent_path() / name;
        if (fs::is_regular_file(inside, ec)) return inside.string();
    }
    return Error{ErrorKind::input, "the file '" + name + "' is missing", Location{},
                 "it comes with the program: install it again"};
}

Result<DeviceMemory> DeviceMemory::make(device::Device& device, std::uint64_t bytes, std::uint8_t value) {
    auto address = device.allocate(bytes);
    if (!address) return std::move(address).error();
    DeviceMemory memory(device, *address, bytes);
    if (auto ok = device.fill(*address, value, bytes); !ok) return std::move(ok).error();
    return memory;
}

DeviceMemory::~DeviceMemory() {
    if (device_) (void)device_->release(address_).ok();
}

Result<Kernel> load_kernel(const Context& context, const std::string& file, const std::string& entry,
                           const std::vector<std::string>& defines) {
    auto path = own_file(file);
    if (!path) return std::move(path).error();
    auto ptx = compile_to_ptx(*path, defines, {}, *context.target);
    if (!ptx) return std::move(ptx).error();
    auto module = context.device.load(*path, std::move(*ptx));
    if (!module) return std::move(module).error();
    auto info = ladder::find_kernel(**module, entry);
    if (!info) return std::move(info).error();
    return Kernel{std::move(*module), *info, *path};
}

Result<Launched> launch(const Context& context, const Kernel& kernel, const device::LaunchConfig& config,
                        const std::vector<KernelArgument>& arguments, const std::string& experiment) {
    std::vector<ladder::ArgumentValue> values;
    for (const KernelArgument& argument : arguments) {
        ladder::ArgumentValue value;
        if (const auto* address = std::get_if<device::Address>(&argument)) {
            value.kind = ladder::ArgumentValue::Kind::buffer;
            value.address = *address;
        } else if (const auto* whole = std::get_if<std::int64_t>(&argument)) {
            value.number = static_cast<long double>(*whole);
        } else {
            value.number = static_cast<long double>(std::get<double>(argument));
        }
        values.push_back(std::move(value));
    }
    auto parameters = ladder::pack_arguments(*kernel.info, values);
    if (!parameters) return std::move(parameters).error();
    device::LaunchOptions options = context.options.launch;
    options.per_line = options.per_line || !context.real();
    ModelledLaunches launches(context.model, context.real() ? predict::Simulate::none : context.options.simulate);
    launches.before(*kernel.info, config, options);
    auto result = context.device.launch(*kernel.module, kernel.info->name, config, *parameters, options);
    if (!result) return std::move(result).error();

    launches.after(*kernel.info, config, *result);
    record::Record r = launch::record_of(*kernel.info, config, *result);
    r.experiment = experiment;
    r.device = context.device.name();
    launches.annotate(r);
    return Launched{std::move(r), std::move(*result)};
}

}  // namespace warpwright::lab
