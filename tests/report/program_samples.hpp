// Profiles of programs, for the tests of their printers.
#pragma once

#include <optional>
#include <string>

#include "report/program.hpp"

namespace warpwright::test {

/// A measured one, whose figures need no device model.
inline profile::Profile measured_program() {
    using record::Count;
    profile::Profile p;
    p.device = "NVIDIA <test>", p.program = {"./sum", "'quoted'", "<b>"};
    p.counted_keys = {
        "instructions",           "global_load_requests",       "global_load_sectors",          "shared_load_requests",
        "shared_load_wavefronts", "shared_load_bank_conflicts", "shared_load_excess_wavefronts"};
    profile::KernelUse k;
    k.name = "_Z4sum2Pff", k.grid = {64, 1, 1}, k.block = {16, 16, 1}, k.registers = 24, k.static_shared = 1024;
    k.times.add(2e-6), k.times.add(4e-6);
    k.counted = 2;
    k.counts[Count::instructions] = 2000;
    k.counts[Count::global_load_requests] = 512, k.counts[Count::global_load_sectors] = 2048;
    k.counts[Count::shared_load_requests] = 256, k.counts[Count::shared_load_wavefronts] = 8192;
    k.counts[Count::shared_load_bank_conflicts] = 7936;
    k.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] = 42.5;
    k.lines[{"sum.cu", 7}][Count::instructions] = 2000;
    p.kernels = {k};
    p.copies.push_back({"[CUDA memcpy HtoD]", {}, 4096});
    p.copies[0].times.add(1e-5);
    p.calls.push_back({"cudaMalloc, of \"all\"", {}, 1});
    p.calls[0].times.add(1e-4);
    p.events = {{profile::Event::Kind::kernel, 0, 7, 0, 2e-6}, {profile::Event::Kind::call, 9, 1, 0, 1e-6}};
    return p;
}

/// The one line of source that there is.
inline std::optional<std::string> program_source(const std::string&, unsigned line) {
    if (line != 7) return std::nullopt;
    return "    s += a[i] < 1 && b['x'];";
}

/// Two kernels on the emulated GPU, of which the first has a predicted time.
inline profile::Profile emulated_program() {
    profile::Profile p = measured_program();
    p.device.clear(), p.model = "h200";
    p.kernels[0].metrics.clear();
    profile::KernelUse other = p.kernels[0];
    other.name = "other", other.unpredicted = "no time is predicted: reasons";
    auto& predicted = p.kernels[0].predicted.emplace();
    predicted.seconds = 3e-6, predicted.method = record::Predicted::kSimulated;
    predicted.cycles = 3000, predicted.l1_hit = 0.25;
    predicted.stalls = {{"selected", 1}, {"long_scoreboard", 3}};
    predicted.launches = 2, predicted.simulated = 1, predicted.error = 0.111;
    predicted.causes = {
        {.cause = "bank_conflicts", .share = 0.61, .file = "/src/sum.cu", .line = 7, .variable = "tile"}};
    predicted.causes[0].evidence = {{"wavefronts_per_request", 32}, {"needed", 1}};
    p.kernels.push_back(other);
    return p;
}

}  // namespace warpwright::test
