// Over PCI Express the rates are those that were measured between device and host, as far as the model has them: a copy
// between devices takes the same link on either side.
#include "arch/links.hpp"

#include <algorithm>

namespace warpwright::arch {
namespace {

/// NVLinks between any two of so many devices.
unsigned nvlinks(const DeviceModel::Links& l, unsigned devices) {
    if (l.nvlink_switch || devices < 2) return l.nvlink_links;
    return l.nvlink_links / (devices - 1);
}

LinkModel over_nvlink(const DeviceModel& model, unsigned links) {
    const auto& l = model.links;
    LinkModel out;
    out.rate = links * l.nvlink_link;
    out.latency = l.nvlink_latency > 0 ? l.nvlink_latency : l.copy_latency;
    out.within = model.dram_bandwidth();
    return out;
}

LinkModel over_pcie(const DeviceModel& model) {
    LinkModel out;
    out.direct = false;
    out.rate = model.links.pcie;
    out.latency = model.links.copy_latency;
    out.within = model.dram_bandwidth();
    return out;
}

}  // namespace

std::string_view topology_name(Topology topology) { return topology == Topology::nvlink ? "nvlink" : "pcie"; }

std::optional<Topology> parse_topology(std::string_view name) {
    for (const auto t : {Topology::nvlink, Topology::pcie})
        if (topology_name(t) == name) return t;
    return std::nullopt;
}

LinkModel link_of(const DeviceModel& model, unsigned devices) {
    const unsigned links = nvlinks(model.links, devices);
    return links > 0 ? over_nvlink(model, links) : over_pcie(model);
}

Result<LinkModel> link_of(const DeviceModel& model, unsigned devices, Topology topology) {
    const auto& measured = model.ceilings;
    const double host = std::min(measured.to_device, measured.to_host);
    LinkModel out = over_pcie(model);
    if (topology == Topology::pcie) {
        if (host > 0) out.rate = host;
    } else {
        const unsigned links = nvlinks(model.links, devices);
        if (links == 0)
            return Error{
                ErrorKind::usage,
                "the device model '" + model.name + "' has no NVLink between " + std::to_string(devices) + " devices",
                {},
                "--topology pcie, or another --model"};
        out = over_nvlink(model, links);
        // Measured with all links between the two.
        if (links == model.links.nvlink_links && measured.peer_copy > 0) out.rate = measured.peer_copy;
        if (links == model.links.nvlink_links) out.access = measured.peer_access;
    }
    out.staged = measured.peer_staged > 0 ? measured.peer_staged : host > 0 ? host : model.links.pcie;
    out.staged_latency = model.links.staged_latency > 0 ? model.links.staged_latency : 2 * model.links.copy_latency;
    return out;
}

double ring_sum_seconds(const LinkModel& link, unsigned ranks, double bytes) {
    return ranks < 2 ? 0 : 2.0 * (ranks - 1) * (link.latency + (link.rate > 0 ? bytes / ranks / link.rate : 0));
}
double ring_gather_seconds(const LinkModel& link, unsigned ranks, double bytes_each) {
    return ranks < 2 ? 0 : (ranks - 1) * (link.latency + (link.rate > 0 ? bytes_each / link.rate : 0));
}

}  // namespace warpwright::arch
