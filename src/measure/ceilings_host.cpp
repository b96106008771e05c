// What the host has to do with it: starting kernels, and copies between its memory and the device's.
#include <fmt/format.h>

#include "measure/ceilings_bench.hpp"

namespace warpwright::measure {
namespace {

Subject start(const std::string& name, const std::string& figure, const std::string& title) {
    return {"launches", name, figure, "s", 1e-6, {}, title, {}};
}

/// An empty kernel as one of many nodes of a graph: what a kernel at the end of another costs at least.
void in_a_graph(Bench& b) {
    const Subject subject = start("node of a graph", "launches.graph_us", "an empty kernel after another, 200 in a graph");
    auto module = b.module("launch.cu");
    if (!module) return b.leave_out(subject, module.error().text());
    device::Step step;
    step.module = *module;
    step.kernel = "empty";
    step.config.block = {32, 1, 1};
    constexpr std::uint32_t nodes = 200, samples = 25;
    const auto run = [&](std::uint32_t n) { return b.device().time(std::span(&step, 1), {nodes, n, b.options().timeout}); };
    if (auto first = run(3); !first) return b.leave_out(subject, first.error().text());
    auto seconds = run(samples);
    if (!seconds) return b.leave_out(subject, seconds.error().text());
    for (double& s : *seconds) s /= nodes;
    b.take(subject, *seconds, true);
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

}  // namespace

std::vector<Part> launch_parts() { return {{"launches in a graph", in_a_graph}, {"launches, round trip", round_trip}}; }

std::vector<Part> transfer_parts() { return {}; }

}  // namespace warpwright::measure
