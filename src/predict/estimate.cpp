// The busiest multiprocessor lengthens the terms of its own resources alone. Throughput and latency are combined by the
// root of their squares, which is close to the larger one where they differ.
#include "predict/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "record/metrics.hpp"

namespace warpwright::predict {

namespace {

using record::Count;

/// Requests of a warp in flight at a time: compilers put a few independent loads before the first use.
constexpr double kInFlight = 4;

bool of_whole_device(const std::string& resource) { return resource == "DRAM" || resource == "L2"; }

}  // namespace

std::optional<record::Predicted> estimate(const record::Record& r, const arch::DeviceModel& m) {
    if (!r.counts || !r.grid || !r.block || !r.bound || !r.occupancy || r.occupancy->blocks == 0) return std::nullopt;
    const double blocks = std::max(1.0, double(r.grid->count())), sms = std::max(1u, m.sm.multiprocessors);
    const double active = std::min(blocks, sms), busiest = std::ceil(blocks / sms);

    // A bound distributes the work evenly; the multiprocessor with most blocks finishes last.
    const double tail = busiest * active / blocks;
    double throughput = 0;
    for (const record::BoundTerm& term : r.bound->terms)
        throughput = std::max(throughput, term.seconds * (of_whole_device(term.resource) ? 1 : tail));

    // Each of a multiprocessor's places runs one warp after the other: its waits, and its own
    // instructions.
    const record::Counts& c = *r.counts;
    const double warps_of_block = std::ceil(double(r.block->count()) / m.limits.warp);
    const double warps = std::max(1.0, blocks * warps_of_block);
    const double sectors = double(total(c, record::Derived::global_sectors)) * m.cache.sector;
    double from_memory = 0;  // the part of the requested bytes that no cache holds
    for (const record::BoundTerm& term : r.bound->terms)
        if (term.resource == "DRAM" && sectors > 0)
            from_memory = std::min(1.0, term.seconds * m.dram_bandwidth() / sectors);
    const double global = from_memory * m.latency.memory + (1 - from_memory) * m.latency.l2;
    const double waits =
        double(c[Count::global_load_requests] + c[Count::local_load_requests] + c[Count::global_atomic_requests]) *
            global +
        double(c[Count::shared_load_requests] + c[Count::shared_atomic_requests]) * m.latency.shared;
    const double of_warp = (waits / kInFlight + double(c[Count::instructions])) / warps;
    const double turns = std::ceil(busiest / r.occupancy->blocks);
    const double latency = m.clocks.bound > 0 ? turns * of_warp / m.clocks.bound : 0;

    const double seconds = std::hypot(throughput, latency);
    if (!(seconds > 0)) return std::nullopt;
    return record::Predicted{seconds,
                             "bound with the tail of the last blocks, and latency that resident warps do not hide"};
}

}  // namespace warpwright::predict
