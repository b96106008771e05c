// A record set that every printer's test prints: counted, bounded, measured, wrong and failed records.
#pragma once

#include "record/record.hpp"

namespace warpwright::test {

inline record::RecordSet sample() {
    using record::Count;
    record::RecordSet set;
    set.environment = {"0.1.0", "2025-01-02T03:04:05Z", "Some CPU", "x86-64-v4", 2, "emulated", "h200"};

    record::Record naive;
    naive.experiment = "matmul";
    naive.rung = "01_naive";
    naive.kernel = "matmul_naive";
    naive.title = "one thread an element";
    naive.change =
        "Each thread computes one element of C and reads a row of A and a column of B from global memory. Every "
        "multiply-add waits for two loads; nothing is used twice except by the caches.";
    naive.axes = {{"size", std::int64_t{512}}, {"type", std::string("f32")}};
    naive.device = "emulated";
    naive.model = "h200";
    naive.grid = record::Extent{32, 32, 1};
    naive.block = record::Extent{16, 16, 1};
    naive.verified = true;
    naive.flops = 268435456;
    naive.bytes = 3145728;
    naive.counts.emplace();
    auto& c = *naive.counts;
    c[Count::instructions] = 46530560;
    c[Count::thread_instructions] = 1488977920;
    c[Count::branches] = 4202496;
    c[Count::global_load_requests] = 8388608;
    c[Count::global_load_sectors] = 25165824;
    c[Count::global_store_requests] = 8192;
    c[Count::global_store_sectors] = 32768;
    c[Count::global_bytes_requested] = 1074790400;
    c[Count::flops] = 268435456;
    naive.bound = record::Bound{4.5e-6,
                                "fp32",
                                false,
                                {{"fp32", 4.5e-6, 1.0, "basis", {}}, {"DRAM", 6.5536e-7, 0.1456, "basis", 1.7e-4}},
                                {"the model has no L2 bandwidth: no L2 term"}};
    naive.intensity = record::Intensity{0.999, 0.24975, 85.3};
    naive.occupancy = record::OccupancyRecord{32, true, 0, 8, 64, 1.0, "warps", 0.97, 0.97};
    naive.emulation_s = 0.0481;
    record::LineCounts line{"naive.cu", 7, {}};
    line.counts[Count::instructions] = 33554432;
    line.counts[Count::thread_instructions] = 1073741824;
    line.counts[Count::global_load_requests] = 8388608;
    line.counts[Count::global_load_sectors] = 25165824;
    naive.lines = {line, {"naive.cu", 9, {}}};
    naive.lines[1].counts[Count::instructions] = 8192;
    naive.lines[1].counts[Count::thread_instructions] = 262144;
    naive.lines[1].counts[Count::global_store_requests] = 8192;
    naive.lines[1].counts[Count::global_store_sectors] = 32768;

    record::Record tiled = naive;
    tiled.rung = "02_tiled";
    tiled.kernel = "matmul_tiled";
    tiled.title = "tiles in shared memory";
    tiled.change =
        "A block loads a tile of A and one of B into shared memory, so that each element is fetched once a tile.";
    tiled.lines.clear();
    auto& d = *tiled.counts;
    d[Count::global_load_requests] = 524288;
    d[Count::global_load_sectors] = 2097152;
    d[Count::shared_load_requests] = 8388608;
    d[Count::shared_load_wavefronts] = 8912896;
    d[Count::shared_load_bank_conflicts] = 524288;
    d[Count::shared_load_excess_wavefronts] = 524288;
    d[Count::branches] = 1000;
    d[Count::divergent_branches] = 125;
    tiled.bound->estimated = true;
    tiled.bound->binds = "DRAM";
    tiled.bound->notes.clear();
    tiled.intensity = record::Intensity{15.94, 3.98, 85.3};

    record::Record racy;
    racy.experiment = "matmul";
    racy.rung = "03_implicit_sync";
    racy.title = "relies on lockstep";
    racy.axes = naive.axes;
    racy.device = "emulated";
    racy.model = "h200";
    racy.verified = false;
    racy.known_incorrect = true;
    racy.verification =
        record::Verification{262144, 77, 12.5, 0.5, 1e-5, "f64", "C[3][7]: 12.5, expected 25", "every element"};

    record::Record broken = racy;
    broken.rung = "04_evil\x1b[31m\nname";
    broken.title.clear();
    broken.known_incorrect = false;
    broken.verified.reset();
    broken.verification.reset();
    broken.error = "kernel.cu:12: out-of-bounds read of 4 bytes";

    record::Record cpu;
    cpu.experiment = "matmul";
    cpu.rung = "cpu_serial";
    cpu.title = "triple loop";
    cpu.axes = {{"size", std::int64_t{512}}, {"type", std::string("f32")}};
    cpu.device = "cpu";
    cpu.verified = true;
    cpu.flops = 268435456;
    cpu.bytes = 3145728;
    cpu.time = record::Time{0.1432, 0.1401, 0.012, 9};
    set.records = {naive, tiled, racy, broken, cpu};
    return set;
}

}  // namespace warpwright::test
