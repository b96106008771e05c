// Only the functions that start the library and find a device are required: what an older library does not have leaves
// its value absent. The bits of the mask that limits clocks get their names here.
#include "device/cuda/nvml.hpp"

#include <cstdlib>
#include <cstring>

#include "support/settings.hpp"

namespace warpwright::device::cuda {

std::vector<std::string> nvml_candidates() {
    if (const std::string own = settings::text(Setting::nvml); !own.empty()) return {own};
    return {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/local/nvidia/lib/libnvidia-ml.so.1",
            "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
}

Result<std::shared_ptr<const Nvml>> Nvml::open(const std::vector<std::string>& candidates) {
    auto library = SharedLibrary::open_first(candidates);
    if (!library)
        return Error{ErrorKind::no_device,
                     candidates.size() == 1 ? library.error().what : "libnvidia-ml.so.1 was not found",
                     {},
                     ""};
    NvmlTable table;
#define WARPWRIGHT_NVML_LOAD(member, name, ...) library->get(table.member, name);
    WARPWRIGHT_NVML_ENTRY_POINTS(WARPWRIGHT_NVML_LOAD)
#undef WARPWRIGHT_NVML_LOAD
    if (!table.init || !table.device_by_bus)
        return Error{ErrorKind::no_device, library->path() + " is not NVML, or is too old", {}, ""};
    return start(table);
}

Result<std::shared_ptr<const Nvml>> Nvml::start(const NvmlTable& table) {
    if (NvmlStatus s = table.init(); s != 0)
        return Error{ErrorKind::no_device, "NVML does not start (its status is " + std::to_string(s) + ")", {}, ""};
    return std::shared_ptr<const Nvml>(new Nvml(table));
}

std::string Nvml::driver_version() const {
    char text[96] = "";
    if (!table_.driver_version || table_.driver_version(text, sizeof text) != 0) return {};
    return std::string(text, ::strnlen(text, sizeof text));
}

NvmlDevice Nvml::device(const std::string& bus) const {
    NvmlDevice out = nullptr;
    if (table_.device_by_bus(bus.c_str(), &out) != 0) return nullptr;
    return out;
}

DeviceState Nvml::state(NvmlDevice device) const {
    DeviceState out;
    unsigned value = 0;
    if (table_.clock && table_.clock(device, NvmlClock::multiprocessors, &value) == 0) out.clock_mhz = value;
    if (table_.clock && table_.clock(device, NvmlClock::memory, &value) == 0) out.memory_clock_mhz = value;
    if (table_.power && table_.power(device, &value) == 0) out.power_w = 1e-3 * value;  // in milliwatts
    if (table_.temperature && table_.temperature(device, 0, &value) == 0) out.temperature_c = value;
    unsigned long long mask = 0;
    if (table_.throttle && table_.throttle(device, &mask) == 0) out.throttle = throttle_reasons(mask);
    return out;
}

std::vector<std::string> throttle_reasons(unsigned long long mask) {
    static constexpr std::pair<unsigned long long, const char*> kReasons[] = {
        {0x2, "clocks set by a user"}, {0x4, "power cap"},       {0x8, "hardware slowdown"},
        {0x10, "sync boost"},          {0x20, "heat"},           {0x40, "heat (hardware)"},
        {0x80, "power brake"},         {0x100, "display clocks"}};
    std::vector<std::string> out;
    for (const auto& [bit, name] : kReasons)
        if (mask & bit) out.emplace_back(name);
    return out;
}

}  // namespace warpwright::device::cuda
