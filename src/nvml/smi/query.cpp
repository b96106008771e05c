// --query-gpu: a table of fields. What an emulated device does not have is [N/A], as on devices without it.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <vector>

#include "nvml/smi/print.hpp"

namespace warpwright::nvml::smi {
namespace {

struct Field {
    std::string_view name;
    const char* unit;  ///< "MiB"; empty: none
    std::string (*value)(const Facts&, const Device&);
};

std::string none(const Facts&, const Device&) { return "[N/A]"; }

std::string figure_or_none(unsigned figure) { return figure ? std::to_string(figure) : "[N/A]"; }
std::string link_generation(const Facts&, const Device& d) { return figure_or_none(d.link_generation); }
std::string link_width(const Facts&, const Device& d) { return figure_or_none(d.link_lanes); }

constexpr Field kFields[] = {
    {"timestamp", "", [](const Facts&, const Device&) { return timestamp(); }},
    {"driver_version", "", [](const Facts& f, const Device&) { return f.driver; }},
    {"count", "", [](const Facts& f, const Device&) { return std::to_string(f.attached); }},
    {"index", "", [](const Facts&, const Device& d) { return std::to_string(d.index); }},
    {"name", "", [](const Facts&, const Device& d) { return d.name; }},
    {"gpu_name", "", [](const Facts&, const Device& d) { return d.name; }},
    {"uuid", "", [](const Facts&, const Device& d) { return d.uuid; }},
    {"gpu_uuid", "", [](const Facts&, const Device& d) { return d.uuid; }},
    {"pci.bus_id", "", [](const Facts&, const Device& d) { return d.bus_id; }},
    {"gpu_bus_id", "", [](const Facts&, const Device& d) { return d.bus_id; }},
    {"compute_cap", "", [](const Facts&, const Device& d) { return d.capability; }},
    {"compute_mode", "", [](const Facts&, const Device&) { return std::string("Default"); }},
    {"memory.total", "MiB", [](const Facts&, const Device& d) { return std::to_string(d.total_mib); }},
    {"memory.used", "MiB", [](const Facts&, const Device& d) { return std::to_string(d.used_mib); }},
    {"memory.free", "MiB", [](const Facts&, const Device& d) { return std::to_string(d.free_mib); }},
    {"memory.reserved", "MiB", [](const Facts&, const Device&) { return std::string("0"); }},
    {"utilization.gpu", "%", none},
    {"utilization.memory", "%", none},
    {"temperature.gpu", "", none},
    {"temperature.memory", "", none},
    {"power.draw", "W", none},
    {"power.draw.average", "W", none},
    {"power.draw.instant", "W", none},
    {"power.limit", "W", none},
    {"power.max_limit", "W", none},
    {"enforced.power.limit", "W", none},
    {"fan.speed", "%", none},
    {"pstate", "", none},
    {"clocks.sm", "MHz", none},
    {"clocks.mem", "MHz", none},
    {"clocks.gr", "MHz", none},
    {"clocks.current.sm", "MHz", none},
    {"clocks.current.memory", "MHz", none},
    {"clocks.current.graphics", "MHz", none},
    {"clocks.max.sm", "MHz", none},
    {"clocks.max.memory", "MHz", none},
    {"clocks.max.graphics", "MHz", none},
    {"serial", "", none},
    {"gpu_serial", "", none},
    {"vbios_version", "", none},
    {"display_active", "", none},
    {"display_mode", "", none},
    {"persistence_mode", "", none},
    {"ecc.mode.current", "", none},
    {"mig.mode.current", "", none},
    {"pcie.link.gen.current", "", link_generation},
    {"pcie.link.gen.max", "", link_generation},
    {"pcie.link.width.current", "", link_width},
    {"pcie.link.width.max", "", link_width},
};

const Field* field_of(std::string_view name) {
    for (const Field& f : kFields)
        if (f.name == name) return &f;
    return nullptr;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

bool csv_of(const Facts& facts, const std::string& fields, const CsvForm& form, std::string& text) {
    std::vector<const Field*> asked;
    for (std::size_t from = 0; from <= fields.size();) {
        const auto to = std::min(fields.find(',', from), fields.size());
        const auto name = trimmed(std::string_view(fields).substr(from, to - from));
        const Field* const known = field_of(name);
        if (!known) return text = name, false;
        asked.push_back(known);
        from = to + 1;
    }
    text.clear();
    const auto row = [&](auto cell) {
        for (std::size_t k = 0; k < asked.size(); ++k) text += (k ? ", " : "") + cell(*asked[k]);
        text += '\n';
    };
    if (form.header)
        row([](const Field& f) {
            return std::string(f.name) + (*f.unit ? " [" + std::string(f.unit) + "]" : std::string());
        });
    for (const Device& d : facts.devices)
        row([&](const Field& f) {
            const std::string value = f.value(facts, d);
            return form.units && *f.unit && f.value != none ? value + " " + f.unit : value;
        });
    return true;
}

std::string timestamp() {
    std::timespec now{};
    std::timespec_get(&now, TIME_UTC);
    std::tm parts{};
    ::localtime_r(&now.tv_sec, &parts);
    char text[64], all[80];
    std::strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", &parts);
    std::snprintf(all, sizeof all, "%s.%03ld", text, now.tv_nsec / 1000000);
    return all;
}

}  // namespace warpwright::nvml::smi
