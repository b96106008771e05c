// The list, the table and the XML.
#include "nvml/smi/print.hpp"

#include <algorithm>
#include <cstdio>

namespace warpwright::nvml::smi {
namespace {

constexpr int kWidth = 89;  // between the bars

std::string line(const std::string& text) {
    std::string out = "| " + text;
    out.resize(kWidth, ' ');
    return out + " |\n";
}

std::string rule() { return "+" + std::string(kWidth, '-') + "+\n"; }

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
    return out;
}

/// An element on a line of its own.
std::string element(int depth, const std::string& name, const std::string& value) {
    return std::string(static_cast<std::size_t>(depth), '\t') + "<" + name + ">" + escaped(value) + "</" + name + ">\n";
}

std::string hex(unsigned value, int digits) {
    char text[16];
    std::snprintf(text, sizeof text, "%0*X", digits, value);
    return text;
}

std::string mib(unsigned long long value) { return std::to_string(value) + " MiB"; }

std::string xml_of_device(const Device& d) {
    std::string out = "\t<gpu id=\"" + escaped(d.bus_id) + "\">\n";
    out += element(2, "product_name", d.name) + element(2, "minor_number", std::to_string(d.index)) +
           element(2, "uuid", d.uuid) + element(2, "compute_mode", "Default");
    out += "\t\t<pci>\n" + element(3, "pci_bus", hex(d.pci_bus, 2)) + element(3, "pci_device", hex(d.pci_device, 2)) +
           element(3, "pci_domain", hex(d.pci_domain, 4)) + element(3, "pci_bus_id", d.bus_id) + "\t\t</pci>\n";
    out += "\t\t<fb_memory_usage>\n" + element(3, "total", mib(d.total_mib)) + element(3, "reserved", mib(0)) +
           element(3, "used", mib(d.used_mib)) + element(3, "free", mib(d.free_mib)) + "\t\t</fb_memory_usage>\n";
    out += "\t\t<utilization>\n" + element(3, "gpu_util", "N/A") + element(3, "memory_util", "N/A") +
           "\t\t</utilization>\n";
    out += "\t\t<temperature>\n" + element(3, "gpu_temp", "N/A") + "\t\t</temperature>\n";
    out += "\t\t<gpu_power_readings>\n" + element(3, "power_state", "N/A") + element(3, "instant_power_draw", "N/A") +
           "\t\t</gpu_power_readings>\n";
    return out + element(2, "processes", "N/A") + "\t</gpu>\n";
}

}  // namespace

std::string list_of(const Facts& facts) {
    std::string out;
    for (const Device& d : facts.devices)
        out += "GPU " + std::to_string(d.index) + ": " + d.name + " (UUID: " + d.uuid + ")\n";
    return out;
}

std::string table_of(const Facts& facts) {
    std::string out = timestamp() + "\n" + rule();
    out +=
        line("NVIDIA-SMI (Warpwright)   Driver Version: " + facts.driver + "   CUDA Version: " + facts.cuda) + rule();
    out += line("GPU  Name") + line("     Bus-Id             Memory-Usage              Compute  GPU-Util");
    out += rule();
    for (const Device& d : facts.devices) {
        char text[kWidth];
        std::snprintf(text, sizeof text, "%3u  %s", d.index, d.name.c_str());
        out += line(text);
        const std::string memory = std::to_string(d.used_mib) + "MiB / " + std::to_string(d.total_mib) + "MiB";
        std::snprintf(text, sizeof text, "     %-17s  %-24s  %-7s  N/A", d.bus_id.c_str(), memory.c_str(),
                      d.capability.c_str());
        out += line(text) + rule();
    }
    return out + line("Processes that use an emulated device are not known.") + rule();
}

std::string xml_of(const Facts& facts) {
    std::string out = "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n" + element(1, "timestamp", timestamp()) +
                      element(1, "driver_version", facts.driver) + element(1, "cuda_version", facts.cuda) +
                      element(1, "attached_gpus", std::to_string(facts.attached));
    for (const Device& d : facts.devices) out += xml_of_device(d);
    return out + "</nvidia_smi_log>\n";
}

}  // namespace warpwright::nvml::smi
