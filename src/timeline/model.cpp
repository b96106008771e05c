// The first source that has a figure gives it. A copy within device memory counts its bytes twice, because it reads and
// writes them.
#include "timeline/model.hpp"

#include <algorithm>

namespace warpwright::timeline {
namespace {

double first_of(std::initializer_list<double> figures) {
    for (double f : figures)
        if (f > 0) return f;
    return 0;
}

}  // namespace

double Model::seconds(const Work& work) const {
    const auto at = [&](double rate) { return rate > 0 ? static_cast<double>(work.bytes) / rate : 0.0; };
    switch (work.kind) {
        case Kind::none:
            return 0;
        case Kind::kernel:
            return std::max(work.seconds, kernel);
        case Kind::to_device:
            return copy_latency + at(work.pageable ? first_of({pageable_to_device, to_device}) : to_device);
        case Kind::to_host:
            return copy_latency + at(work.pageable ? first_of({pageable_to_host, to_host}) : to_host);
        case Kind::on_device:
            return kernel + 2 * at(copied);
        case Kind::fill:
            return kernel + at(filled);
        case Kind::on_host:
            return at(host_copied);
        case Kind::between:
            if (work.staged) return staged_latency + at(staged);
            return peer_latency + at(peer);
    }
    return 0;
}

double Model::over_link(std::uint64_t read, std::uint64_t written) const {
    const auto most = static_cast<double>(std::max(read, written));
    return most > 0 && peer_access > 0 ? peer_latency + most / peer_access : 0;
}

Model model_of(const arch::DeviceModel& device, const arch::LinkModel& link) {
    Model out = model_of(device);
    out.peer = first_of({link.rate, Defaults::kLink});
    out.peer_latency = first_of({link.latency, Defaults::kCopyLatency});
    out.peer_access = first_of({link.access, out.peer});
    out.staged = first_of({link.staged, Defaults::kLink});
    out.staged_latency = first_of({link.staged_latency, 2 * Defaults::kCopyLatency});
    out.own_links = link.direct;
    return out;
}

Model model_of(const arch::DeviceModel& device) {
    const auto& links = device.links;
    const auto& measured = device.ceilings;
    Model out;
    out.copy_engines = std::max(1u, links.copy_engines);
    out.hardware_queues = std::max(1u, links.hardware_queues);
    out.to_device = first_of({measured.to_device, links.pcie, Defaults::kLink});
    out.to_host = first_of({measured.to_host, links.pcie, Defaults::kLink});
    out.pageable_to_device = first_of({measured.pageable_to_device, out.to_device * Defaults::kPageable});
    out.pageable_to_host = first_of({measured.pageable_to_host, out.to_host * Defaults::kPageable});
    out.copied = first_of({measured.dram_copy, device.dram_bandwidth(), Defaults::kMemory});
    out.filled = first_of({measured.dram_write, device.dram_bandwidth(), Defaults::kMemory});
    out.host_copied = Defaults::kHostCopy;
    out.copy_latency = first_of({links.copy_latency, Defaults::kCopyLatency});
    out.call = first_of({device.launches.queued, Defaults::kCall});
    out.copy_call = Defaults::kCopyCall;
    out.kernel = first_of({device.launches.graph, Defaults::kKernel});
    return out;
}

}  // namespace warpwright::timeline
