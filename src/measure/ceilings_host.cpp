// What the host has to do with it: starting kernels, and copies between its memory and the device's.
#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings_bench.hpp"

namespace warpwright::measure {
namespace {

Subject start(const std::string& name, const std::string& figure, const std::string& title) {
    return {"launches", name, figure, "s", 1e-6, {}, title, {}};
}

/// An empty kernel after another: as nodes of one graph, or queued one by one, where the host is what takes time.
void in_a_row(Bench& b, bool graph) {
    const Subject subject = graph ? start("node of a graph", "launches.graph_us", "an empty kernel after another, 200 in a graph")
                                  : start("queued", "launches.queued_us", "an empty kernel after another, queued one by one");
    auto module = b.module("launch.cu");
    if (!module) return b.leave_out(subject, module.error().text());
    device::Step step;
    step.module = *module;
    step.kernel = "empty";
    step.config.block = {32, 1, 1};
    constexpr std::uint32_t launches = 200;
    device::TimeRequest request{launches, 3, b.options().timeout};
    request.graph = graph;
    if (auto first = b.device().time(std::span(&step, 1), request); !first) return b.leave_out(subject, first.error().text());
    // One sample at a time: several would be queued while the first one runs, and hide what queueing takes.
    request.samples = 1;
    std::vector<double> seconds;
    for (int i = 0; i < 25; ++i) {
        auto one = b.device().time(std::span(&step, 1), request);
        if (!one) return b.leave_out(subject, one.error().text());
        seconds.push_back(one->front() / launches);
    }
    b.take(subject, seconds, true);
}

/// As a program sees it that waits for each kernel: launch, run, and the host knows.
void round_trip(Bench& b) {
    const Subject subject =
        start("round trip", "launches.round_trip_us", "an empty kernel, launched and waited for, by the host's clock");
    std::vector<double> seconds;
    for (int i = 0; i < 220; ++i) {
        const double before = b.options().clock();
        if (auto ok = b.launch("launch.cu", "empty", 1, 32, {}); !ok) return b.leave_out(subject, ok.error().text());
        if (i >= 20) seconds.push_back(b.options().clock() - before);
    }
    b.take(subject, seconds, true);
}

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * 1024;

/// One direction or both, of one size, as bandwidthTest prints them: bytes of all copies over the time.
void transfer(Bench& b, std::uint64_t bytes, bool pinned, bool to_device, bool to_host, bool figure) {
    const bool both = to_device && to_host;
    const std::string direction = both ? "both ways" : to_device ? "to the device" : "to the host";
    const std::string key = both ? "both_ways" : to_device ? "to_device" : "to_host";
    const Subject subject{"transfers",
                          direction,
                          figure ? "ceilings." + (pinned ? key : "pageable_" + key) : "",
                          "B/s",
                          1,
                          b.base().links.pcie * (both ? 2 : 1),
                          both ? "host memory and device memory, both directions at once, their bytes together"
                               : "between host memory and device memory",
                          {{"host memory", std::string(pinned ? "pinned" : "pageable")},
                           {"size", bytes >= kMiB ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} KiB", bytes / kKiB)}}};
    auto transfers = b.device().make_transfers(bytes, pinned);
    if (!transfers) return b.leave_out(subject, transfers.error().text());
    const auto work = [&](std::uint32_t repeat, std::uint32_t samples) {
        return (*transfers)->time({to_device, to_host, repeat, samples, b.options().timeout});
    };
    DeviceSampleOptions options = b.options().sample;
    options.warm_seconds = std::min(options.warm_seconds, 0.01);
    auto samples = sample_device(work, options);
    if (!samples) return b.leave_out(subject, samples.error().text());
    std::vector<double> rates;
    for (double s : samples->seconds) rates.push_back((both ? 2.0 : 1.0) * static_cast<double>(bytes) / s);
    b.take(subject, rates, false, figure ? fmt::format("copies of {} MiB", bytes / kMiB) : "");
}

}  // namespace

std::vector<Part> launch_parts() {
    return {{"launches in a graph", [](Bench& b) { in_a_row(b, true); }},
            {"launches one by one", [](Bench& b) { in_a_row(b, false); }},
            {"launches, round trip", round_trip}};
}

std::vector<Part> transfer_parts() {
    std::vector<Part> out;
    for (const bool pinned : {true, false})
        for (auto [to_device, to_host] : {std::pair{true, false}, {false, true}, {true, true}}) {
            if (!pinned && to_device && to_host) continue;  // the driver copies pageable memory itself: nothing overlaps
            for (std::uint64_t bytes : {16 * kKiB, 256 * kKiB, 4 * kMiB, 64 * kMiB, 256 * kMiB})
                out.emplace_back("transfers", [=](Bench& b) { transfer(b, bytes, pinned, to_device, to_host, bytes == 256 * kMiB); });
        }
    return out;
}

}  // namespace warpwright::measure
