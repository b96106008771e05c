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
    naive.occupancy = record::OccupancyRecord{32, std::string(record::kEstimated), 0, 8, 64, 1.0, "warps", 0.97, 0.97};
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
    broken.error = "kernel.cu:12: error: out-of-bounds read of 4 bytes";

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

/// Timed rungs of a real GPU beside the vendor's libraries, as `lab matmul` gives them.
inline record::RecordSet timed_sample() {
    record::RecordSet set;
    set.environment = {"0.1.0",  "2025-01-02T03:04:05Z", "Some CPU", "NVRTC 13.0 for compute_90a", 16,
                       "cuda:0", "h200-measured"};
    const auto rung = [&](std::string name, std::string library, std::string unit, double seconds) {
        record::Record r;
        r.experiment = "matmul";
        r.rung = std::move(name);
        r.library = std::move(library);
        r.unit = std::move(unit);
        r.axes = {{"M", std::int64_t{4096}}, {"N", std::int64_t{4096}}, {"K", std::int64_t{4096}}};
        r.device = "cuda:0";
        r.model = "h200-measured";
        r.verified = true;
        r.flops = 137438953472;
        r.bytes = 201326592;
        const double bound = r.unit == "tf32" ? 2.7783e-4 : 2.0541e-3;
        const std::string resource = r.unit == "tf32" ? "tensor tf32" : "fp32";
        r.bound = record::Bound{bound,
                                resource,
                                false,
                                {{resource, bound, 1, "basis", {}}, {"DRAM", 4.194e-5, 4.194e-5 / bound, "basis", {}}},
                                {}};
        if (seconds > 0) {
            r.time = record::Time{seconds, seconds * 0.999, 0.001, 20};
            const double rate = r.unit == "tf32" ? 480e12 : 60e12;
            r.ceiling = record::Ceiling{resource, rate, *r.flops / seconds / rate, "measured"};
        }
        set.records.push_back(std::move(r));
        return &set.records.back();
    };
    auto* cublas = rung("cublas", "cublas", "fp32", 2.673e-3);
    cublas->notes = {"cuBLAS 13.1.0, gemm, f32, pedantic"};
    cublas->speedup = record::Speedup{9.73, 1400, 1};
    rung("cublas_tf32", "cublas", "tf32", 3.444e-4)->speedup = record::Speedup{75.5, 10900, 1};
    auto* sparse = rung("sparse", "cusparselt", "sparse_tf32", 0);
    sparse->verified.reset();
    sparse->bound.reset();
    sparse->left_out =
        "cuSPARSELt was not found: no libcusparseLt.so in NVIDIA's Python wheels, CUDA toolkits or the loader's "
        "folders "
        "(pip install nvidia-cusparselt-cu13, or set WARPWRIGHT_CUSPARSELT to the library or its folder)";
    rung("naive", "", "fp32", 26.0e-3)->speedup = record::Speedup{1, 144, 0.1028};
    rung("specialised", "", "fp32", 2.545e-3)->speedup = record::Speedup{10.2, 1470, 1.0503};
    auto* sheet = rung("wgmma", "", "tf32", 3.30e-4);
    sheet->speedup = record::Speedup{78.8, 11340, 1.0436};
    return set;
}

}  // namespace warpwright::test
