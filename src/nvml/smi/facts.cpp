// Asks the management library, which this program is linked to.
#include "nvml/smi/facts.hpp"

#include "warpwright/nvml.h"

namespace warpwright::nvml::smi {
namespace {

constexpr unsigned long long kMib = 1ull << 20;
constexpr unsigned kTextBytes = 128;

bool read_device(unsigned index, Device& d, nvmlReturn_t& result) {
    nvmlDevice_t device = nullptr;
    char name[kTextBytes] = "", uuid[kTextBytes] = "";
    nvmlPciInfo_t pci{};
    nvmlMemory_t memory{};
    int major = 0, minor = 0;
    const auto asked = [&](nvmlReturn_t r) { return (result = r) == NVML_SUCCESS; };
    if (!asked(nvmlDeviceGetHandleByIndex_v2(index, &device)) || !asked(nvmlDeviceGetName(device, name, kTextBytes)) ||
        !asked(nvmlDeviceGetUUID(device, uuid, kTextBytes)) || !asked(nvmlDeviceGetPciInfo_v3(device, &pci)) ||
        !asked(nvmlDeviceGetMemoryInfo(device, &memory)) ||
        !asked(nvmlDeviceGetCudaComputeCapability(device, &major, &minor)))
        return false;
    d = {index,
         name,
         uuid,
         pci.busId,
         pci.domain,
         pci.bus,
         pci.device,
         memory.total / kMib,
         memory.used / kMib,
         memory.free / kMib,
         std::to_string(major) + "." + std::to_string(minor)};
    // Not every model has them; then they stay 0.
    (void)nvmlDeviceGetMaxPcieLinkGeneration(device, &d.link_generation);
    (void)nvmlDeviceGetMaxPcieLinkWidth(device, &d.link_lanes);
    return true;
}

}  // namespace

bool read_facts(Facts& facts, std::string& problem) {
    nvmlReturn_t result = nvmlInit_v2();
    char driver[kTextBytes] = "";
    int cuda = 0;
    if (result == NVML_SUCCESS) result = nvmlSystemGetDriverVersion(driver, kTextBytes);
    if (result == NVML_SUCCESS) result = nvmlSystemGetCudaDriverVersion_v2(&cuda);
    if (result == NVML_SUCCESS) result = nvmlDeviceGetCount_v2(&facts.attached);
    facts.driver = driver;
    facts.cuda = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    for (unsigned k = 0; result == NVML_SUCCESS && k < facts.attached; ++k)
        if (Device d; read_device(k, d, result)) facts.devices.push_back(d);
    if (result != NVML_SUCCESS) problem = nvmlErrorString(result);
    return result == NVML_SUCCESS;
}

}  // namespace warpwright::nvml::smi
