// The figures with which the modelled clock works, from a device model, and the defaults for those it lacks.
#pragma once

#include "arch/links.hpp"
#include "arch/model.hpp"
#include "timeline/work.hpp"

namespace warpwright::timeline {

/// The device, its link to the host and the host's queuing, in figures: seconds and bytes/s. A rate of 0 takes no time.
/// A copy over the link has a copy engine and its direction of the link to itself, at the full rate; copies and fills
/// of device memory and kernels share the multiprocessors. A copy between devices has the sending side of one and the
/// receiving side of the other to itself: of their own links, or of those to the host.
struct Model {
    unsigned copy_engines = 2;          ///< 1: the two directions take turns; 2 or more: one each way
    unsigned hardware_queues = 32;      ///< 1: an engine takes its work in the order of issue; else whatever is ready
    double to_device = 0, to_host = 0;  ///< from and to page-locked host memory
    double pageable_to_device = 0, pageable_to_host = 0;  ///< 0: as page-locked
    double copied = 0;                      ///< device memory: bytes read and written, together, by a copy within it
    double filled = 0;                      ///< device memory: bytes written by a fill
    double host_copied = 0;                 ///< the host's own copies
    double copy_latency = 0;                ///< of a copy over the link, before its first byte
    double call = 0, copy_call = 0;         ///< the host's time to queue a kernel or a graph; a copy or fill
    double peer = 0;                        ///< bytes/s of the link between two devices, one direction
    double peer_latency = 0;                ///< of a copy over it, before its first byte
    double peer_access = 0;                 ///< bytes/s of a kernel's accesses over it, one direction
    double staged = 0, staged_latency = 0;  ///< of a copy between devices that goes through the host
    bool own_links = false;                 ///< devices have links beside the one to the host, as NVLink
    double kernel = 0;  ///< the least time of a kernel, and an addition to a copy or fill of device memory

    /// The time that the work takes by itself, from its beginning and without its inner work.
    double seconds(const Work& work) const;
    /// The least time of a kernel that reads and writes so many bytes of other devices' memory: each direction of the
    /// link has its own bytes, and the first of them its latency.
    double over_link(std::uint64_t read, std::uint64_t written) const;
    /// The host's time to queue it.
    double call_of(const Work& work) const {
        return work.kind == Kind::none || work.kind == Kind::kernel ? call : copy_call;
    }
};

/// Defaults for figures that a model's file lacks. The four times are near those measured on an H100 and an H200
/// (data/devices, driver 580.159): to queue a kernel 3.1 to 3.9 us, a copy 1.2 to 2.0 us; an empty kernel in a graph
/// 0.5 to 0.8 us, a copy of 16 bytes 1.5 to 2.4 us. No file has a figure for queuing a copy.
struct Defaults {
    static constexpr double kCall = 3e-6, kCopyCall = 1.5e-6, kKernel = 1e-6, kCopyLatency = 2e-6;
    static constexpr double kLink = 16e9;      ///< bytes/s: 16 lanes of PCI Express 3.0
    static constexpr double kMemory = 500e9;   ///< bytes/s of device memory
    static constexpr double kHostCopy = 10e9;  ///< bytes/s that one thread of the host copies
    /// Pageable memory crosses the host's memory once more, through the driver's own buffer.
    static constexpr double kPageable = 0.5;
};

/// The model's own figures: measured ceilings before those of the data sheet, Defaults where it has neither.
Model model_of(const arch::DeviceModel& device);
/// The same of a device among others, which are linked so.
Model model_of(const arch::DeviceModel& device, const arch::LinkModel& link);

}  // namespace warpwright::timeline
