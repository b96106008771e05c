// Links between devices of one machine, in figures that follow from a device model, and what exchanges over them take.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/model.hpp"
#include "support/result.hpp"

namespace warpwright::arch {

/// Links in figures, of every pair alike.
struct LinkModel {
    double rate = 0;            ///< bytes/s, one direction
    double latency = 0;         ///< seconds before the first byte
    double access = 0;          ///< bytes/s, one direction, of a kernel's accesses; 0: as copies
    double staged = 0;          ///< bytes/s of a copy through the host
    double staged_latency = 0;  ///< seconds before its first byte
    double within = 0;          ///< bytes/s read and written by a copy within a device
    bool duplex = true;         ///< both directions at once at full rate
    bool direct = true;         ///< links of their own; else PCI Express, which copies from and to the host use too
};

/// How the devices of a machine are linked.
enum class Topology : std::uint8_t { nvlink, pcie };
std::string_view topology_name(Topology topology);
std::optional<Topology> parse_topology(std::string_view name);

/// The links between `devices` devices of a model. Without a switch each device's NVLinks are shared out among the
/// others; where there is none for a pair, copies go over PCI Express.
LinkModel link_of(const DeviceModel& model, unsigned devices);
/// The same where the user has chosen, by the rates that were measured, as far as the model has them, and with what
/// copies through the host take. ErrorKind::usage if the model has no NVLink between so many.
Result<LinkModel> link_of(const DeviceModel& model, unsigned devices, Topology topology);

/// Seconds of a sum over `ranks` devices by a ring: 2 (ranks - 1) steps, each with the ranks-th part of the bytes
/// (P. Patarasuk, X. Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009).
double ring_sum_seconds(const LinkModel& link, unsigned ranks, double bytes);
/// Of a gather by a ring: ranks - 1 steps, each with what one device gives.
double ring_gather_seconds(const LinkModel& link, unsigned ranks, double bytes_each);

}  // namespace warpwright::arch
