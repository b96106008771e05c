// What the management library says of the emulated devices, as nvidia-smi tells it.
#pragma once

#include <string>
#include <vector>

namespace warpwright::nvml::smi {

struct Device {
    unsigned index = 0;
    std::string name, uuid;
    std::string bus_id;  ///< "00000000:01:00.0"
    unsigned pci_domain = 0, pci_bus = 0, pci_device = 0;
    unsigned long long total_mib = 0, used_mib = 0, free_mib = 0;
    std::string capability;                        ///< "9.0"
    unsigned link_generation = 0, link_lanes = 0;  ///< of PCI Express; 0: the model says none
};

struct Facts {
    std::string driver;           ///< the driver's version
    std::string cuda;             ///< "13.5"
    unsigned attached = 0;        ///< devices in all
    std::vector<Device> devices;  ///< those that are asked for
};

/// Asks the library for all devices. False: it failed, which `problem` tells.
bool read_facts(Facts& facts, std::string& problem);

}  // namespace warpwright::nvml::smi
