// A GPU's clocks, power and the reasons that limit its clocks, as NVIDIA's management library (NVML, part of the
// driver) reports them. It is found when the program runs, and only queried: nothing is ever set. Names and numbers are
// those of its public documentation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "support/shared_library.hpp"

namespace warpwright::device::cuda {

using NvmlStatus = int;  ///< nvmlReturn_t; 0 = success
using NvmlDevice = struct NvmlDeviceTag*;

enum class NvmlClock : int { multiprocessors = 1, memory = 2 };

// X(member, symbol, parameters)
#define WARPWRIGHT_NVML_ENTRY_POINTS(X)                                                        \
    X(init, "nvmlInit_v2", NvmlStatus())                                                       \
    X(driver_version, "nvmlSystemGetDriverVersion", NvmlStatus(char*, unsigned))               \
    X(device_by_bus, "nvmlDeviceGetHandleByPciBusId_v2", NvmlStatus(const char*, NvmlDevice*)) \
    X(clock, "nvmlDeviceGetClockInfo", NvmlStatus(NvmlDevice, NvmlClock, unsigned*))           \
    X(power, "nvmlDeviceGetPowerUsage", NvmlStatus(NvmlDevice, unsigned*))                     \
    X(temperature, "nvmlDeviceGetTemperature", NvmlStatus(NvmlDevice, int, unsigned*))         \
    X(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons", NvmlStatus(NvmlDevice, unsigned long long*))

struct NvmlTable {
#define WARPWRIGHT_NVML_MEMBER(member, symbol, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_NVML_ENTRY_POINTS(WARPWRIGHT_NVML_MEMBER)
#undef WARPWRIGHT_NVML_MEMBER
};

/// Where it is looked for: $WARPWRIGHT_NVML alone when it is set, else in the driver's places.
std::vector<std::string> nvml_candidates();

class Nvml {
public:
    /// ErrorKind::no_device, in one line, if there is none or it does not start.
    static Result<std::shared_ptr<const Nvml>> open(const std::vector<std::string>& candidates);
    static Result<std::shared_ptr<const Nvml>> start(const NvmlTable& table);

    /// "580.65.06"; empty when it reports none.
    std::string driver_version() const;
    /// The device at a PCI address ("0000:17:00.0"); null when NVML does not know it.
    NvmlDevice device(const std::string& bus) const;
    /// Values that it does not report are absent.
    DeviceState state(NvmlDevice device) const;

private:
    explicit Nvml(const NvmlTable& table) : table_(table) {}
    NvmlTable table_;
};

/// The reasons in NVML's mask that limit clocks; an idle GPU is not one.
std::vector<std::string> throttle_reasons(unsigned long long mask);

}  // namespace warpwright::device::cuda
