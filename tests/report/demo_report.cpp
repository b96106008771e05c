#include "demo_report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

namespace warpwright::test {

using namespace record;

namespace {

Series series(std::string name, Basis basis, const std::vector<double>& x, double (*f)(double)) {
    Series out;
    out.name = std::move(name);
    out.basis = basis;
    for (const double v : x) out.x.push_back(v), out.y.push_back(f(v));
    return out;
}

std::vector<double> range(double low, double high, double step) {
    std::vector<double> out;
    for (double v = low; v <= high; v += step) out.push_back(v);
    return out;
}

std::vector<double> powers(int low, int high) {
    std::vector<double> out;
    for (int p = low; p <= high; ++p) out.push_back(std::exp2(p));
    return out;
}

std::vector<Text> names(int n) {
    std::vector<Text> out;
    for (int i = 0; i < n; ++i) out.emplace_back(std::to_string(i));
    return out;
}

int ways(int stride) { return std::gcd(stride, 32); }

CellMap bank_map(int stride, int padding) {
    CellMap map{"column-" + std::to_string(32 + padding),
                fmt::format("A column of a 32 x {} tile in the banks", 32 + padding),
                names(32),
                {},
                {},
                {},
                ""};
    for (int r = 0; r < 8; ++r) {
        map.row_names.push_back(fmt::format("row {}", r));
        auto& row = map.rows.emplace_back();
        for (int bank = 0; bank < 32; ++bank) {
            Cell cell;
            for (int lane = r * 4; lane < r * 4 + 4; ++lane)
                if ((lane * (stride + padding)) % 32 == bank) {
                    cell.text = std::to_string(lane);
                    cell.tone = padding ? 0 : 1;
                    cell.hover = fmt::format("lane {} reads word {}, bank {}", lane, lane * (stride + padding), bank);
                }
            row.push_back(cell);
        }
    }
    map.legend = {{padding ? 0 : 1, padding ? "one lane a bank" : "lanes that wait for each other"}, {-1, "no lane"}};
    map.caption = padding ? "With one word of padding each lane has a bank of its own."
                          : "Without padding all 32 lanes fall into bank 0.";
    return map;
}

Timeline copies(int streams) {
    Timeline t{"overlap-" + std::to_string(streams),
               fmt::format("Copy, kernel, copy in {} stream{}", streams, streams == 1 ? "" : "s"),
               "s",
               {},
               {{0, "copy to the device"}, {2, "kernel"}, {1, "copy back"}},
               Basis::predicted,
               ""};
    const double part = 1.2e-3 / streams;
    double in_free = 0, run_free = 0, out_free = 0;
    for (int s = 0; s < streams; ++s) t.lanes.push_back({fmt::format("stream {}", s + 1), {}});
    for (int s = 0; s < streams; ++s) {
        auto add = [&](double& free, double after, const char* label, int tone) {
            const double begin = std::max(free, after);
            free = begin + part;
            t.lanes[std::size_t(s)].spans.push_back({begin, free, label, tone});
            return free;
        };
        const double copied = add(in_free, 0, "in", 0), ran = add(run_free, copied, "kernel", 2);
        add(out_free, ran, "out", 1);
    }
    t.caption = "One copy engine each way, as the device model has them.";
    return t;
}

Listing listing(const std::filesystem::path& file, const std::string& source) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    Listing out;
    out.id = "listing-" + file.stem().string();
    out.title = file.stem().string();
    out.file = std::filesystem::relative(file, source).string();
    out.text = text.str();
    out.shown = {Count::instructions, Count::global_load_sectors, Count::shared_load_wavefronts};
    std::istringstream lines(out.text);
    unsigned number = 0;
    bool body = false;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        body |= line.find("__global__") != std::string::npos;
        const auto first = line.find_first_not_of(" \t");
        if (!body || first == std::string::npos || line.compare(first, 2, "//") == 0 ||
            line.find(';') == std::string::npos)
            continue;
        LineCounts counts{out.file, number, {}};
        counts.counts[Count::instructions] = 1024 * (first + 1) * (line.size() % 17 + 1);
        if (line.find('[') != std::string::npos) counts.counts[Count::global_load_sectors] = 4096 * (line.size() % 5);
        if (line.find("tile") != std::string::npos)
            counts.counts[Count::shared_load_wavefronts] = 2048 * (line.size() % 9);
        out.lines.push_back(counts);
    }
    return out;
}

std::vector<Block> listings(const std::string& source, const std::string& ladder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source + "/kernels/" + ladder))
        if (entry.path().extension() == ".cu") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Block> out;
    for (const auto& file : files) out.push_back(listing(file, source));
    return out;
}

Table rung_table(const std::string& id) {
    Table t{id, "The rungs, N = 1024", {}, {}, "Counts by the emulated GPU; times are the device model's."};
    t.columns = {{"rung"},
                 {"sectors a load", "", Basis::counted, 3, true},
                 {"excess wavefronts", "", Basis::counted},
                 {"bound", "s", Basis::predicted},
                 {"rate", "FLOP/s", Basis::predicted, 3, true},
                 {"time", "s", Basis::measured},
                 {"of the peak", "%", Basis::computed},
                 {"limited by"}};
    const char* rungs[] = {"`01_naive`", "`05_tiled`", "`07_padded`", "`09_register_2d`", "`12_warp_tiles`"};
    const char* binds[] = {"L1/shared", "L1/shared", "load/store", "fp32", "fp32"};
    double time = 1.92e-3;
    for (int i = 0; i < 5; ++i, time /= 1.9)
        t.rows.push_back({std::string(rungs[i]), 16.5 / (i + 1), std::int64_t(i == 1 ? 8388608 : 0), time,
                          2.147e9 / time, i == 4 ? Scalar{} : Scalar{time * 1.13}, 100 * 2.147e9 / time / 60e12,
                          std::string(binds[i])});
    return t;
}

Page page(const std::string& id, const std::string& title, const std::string& purpose) {
    Page p;
    p.id = id, p.title = title, p.purpose = purpose;
    p.task =
        "Run the rungs at several sizes, verify each against the reference, count what each line costs and compare "
        "with the formulas.";
    p.sources = {"the lecture on memory, part 2", "the laboratory's second sheet"};
    p.conclusions = {
        "The tiled rung reads each element of `A` and `B` 64 times instead of 1024: 16.5 times fewer sectors.",
        "Shared memory binds from the second rung on; padding takes all 8,388,608 excess wavefronts away."};
    p.recommendations = {"Use a tile of 32 x 33 words; a swizzle does the same without the padding."};
    p.corrections = {
        "The text prints 2N² for the elements that the blocked multiply reads. It is 2N³/T: each of the (N/T)³ steps "
        "reads two T x T squares."};
    p.repeat = {"warpwright lab " + id + " --size 1024 --device emulated --model h200"};
    return p;
}

Plot curve_plot(const std::string& id, const std::string& title, std::vector<Series> all, const char* x,
                const char* y) {
    Plot p;
    p.id = id, p.title = title, p.x_label = x, p.y_label = y, p.series = std::move(all);
    return p;
}

}  // namespace

Environment demo_environment() {
    Environment e{"0.1.0", "2026-01-02T03:04:05Z", "Some CPU, 2.4 GHz", "x86-64-v4", 2, "emulated", "h200"};
    return e;
}

Page every_block_page() {
    Page p = page("banks", "Banks of shared memory",
                  "How the addresses of a warp's lanes fall into `32` banks, and what it costs when they meet.");
    p.problems = {"rung `9_new`: 3 of 4 elements differ <b>here</b>"};
    Section one{"What was counted", {}};
    one.blocks.push_back(
        Paragraph{"A warp reads `tile[threadIdx.x * stride]`; its lanes & their banks: <script>alert(1)</script>.",
                  Paragraph::Kind::text});
    one.blocks.push_back(Paragraph{"Devices since Maxwell have no 8-byte mode.", Paragraph::Kind::note});
    one.blocks.push_back(Paragraph{"Stride 0 is a broadcast, not a conflict.", Paragraph::Kind::warning});
    Table t{"strides",
            "Wavefronts by stride",
            {{"stride"},
             {"pattern"},
             {"wavefronts", "", Basis::counted, 3, true},
             {"bound", "s", Basis::predicted},
             {"size", "B"},
             {"rate", "B/s", Basis::measured}},
            {},
            "One warp, 4-byte words."};
    for (const int s : {1, 2, 3, 32})
        t.rows.push_back({std::int64_t(s), std::string(ways(s) == 1 ? "free | all banks" : "`conflict`"),
                          std::int64_t(ways(s)), 1.5e-6 * ways(s), std::int64_t(4096 * s),
                          s == 3 ? Scalar{} : Scalar{3.1e12 / ways(s)}});
    one.blocks.push_back(t);
    Plot bars =
        curve_plot("ways", "Ways of the `conflict`", {{"stride", {0, 1, 2, 3}, {1, 2, 1, 32}, {}, Basis::counted}},
                   "stride", "wavefronts a request");
    bars.kind = Plot::Kind::bar, bars.categories = {"1", "2", "3", "32"};
    one.blocks.push_back(bars);
    Plot line = curve_plot("latency", "Latency by stride",
                           {{"model", {1, 2, 4, 8, 16, 32}, {29, 31, 35, 43, 59, 91}, {}, Basis::predicted},
                            {"H200",
                             {1, 2, 4, 8, 16, 32},
                             {29.4, 32, 36, std::nan(""), 61, 95},
                             {0.2, 0.4, 0.4, 0, 1.1, 2.5},
                             Basis::measured}},
                           "stride, words", "latency, cycles");
    line.x_log = true, line.caption = "Each further way costs two cycles.";
    one.blocks.push_back(line);
    p.sections.push_back(one);
    Section two{"Pictures", {}};
    CellMap map{"map",
                "Four lanes in eight banks",
                names(8),
                {"stride 1", "stride 2"},
                {},
                {{0, "one lane"}, {1, "two lanes"}, {-1, "none"}},
                "Lane numbers stand in their banks."};
    for (const int stride : {1, 2}) {
        auto& row = map.rows.emplace_back();
        for (int b = 0; b < 8; ++b) {
            Cell cell;
            if (b % stride == 0 && b / stride < 4)
                cell.text = std::to_string(b / stride), cell.tone = stride - 1, cell.hover = "lane " + cell.text;
            row.push_back(cell);
        }
    }
    two.blocks.push_back(map);
    CellMap heat{"heat", "Loads of each element", {}, {}, {}, {}, ""};
    for (int r = 0; r < 3; ++r) {
        auto& row = heat.rows.emplace_back();
        for (int c = 0; c < 10; ++c) {
            Cell cell;
            cell.heat = (r * 10 + c) / 29.0;
            row.push_back(cell);
        }
    }
    two.blocks.push_back(heat);
    two.blocks.push_back(copies(2));
    Listing l;
    l.id = "source", l.title = "`03_tiled`", l.file = "kernels/banks/03_tiled.cu", l.first_line = 10;
    l.text =
        "// Reads a column.\nextern \"C\" __global__ void column(const float* in, float* out) {\n    __shared__ float "
        "tile[32][32]; /* no\n    padding */\n\ttile[threadIdx.y][threadIdx.x] = in[0x10u + threadIdx.x];\n    "
        "__syncthreads();\n    out[threadIdx.x] = tile[threadIdx.x][0] < 1.5e-3f ? 'a' : 0;\n}\n";
    l.shown = {Count::instructions, Count::shared_load_wavefronts};
    for (const unsigned n : {14u, 15u, 16u}) {
        LineCounts counts{l.file, n, {}};
        counts.counts[Count::instructions] = n * 1000 - 13500;
        if (n == 16) counts.counts[Count::shared_load_wavefronts] = 32768;
        l.lines.push_back(counts);
    }
    two.blocks.push_back(l);
    p.sections.push_back(two);
    return p;
}

Report demo_report(const std::string& source) {
    Report r;
    r.title = "Warpwright laboratory";
    r.environment = demo_environment();

    Page threads = page("threads", "Threads, blocks and grids",
                        "How a grid of threads is laid over data, and how many threads are wasted at its edges.");
    CellMap blocks{"edge",
                   "A 76 x 62 picture under blocks of 16 x 16",
                   names(20),
                   names(16),
                   {},
                   {{0, "all threads work"}, {1, "some threads have no pixel"}},
                   "Each cell is 4 x 4 threads: 5 x 4 blocks, 80 x 64 threads, 408 of 5,120 wasted."};
    for (int y = 0; y < 16; ++y) {
        auto& row = blocks.rows.emplace_back();
        for (int x = 0; x < 20; ++x) {
            Cell cell;
            cell.tone = x >= 19 || y >= 15 ? 1 : 0;
            cell.hover = fmt::format("block ({}, {})", x / 4, y / 4);
            row.push_back(cell);
        }
    }
    CellMap warps{"warps", "Warps of a block of 16 x 8",         names(16), names(8), {},
                  {},      "A warp takes two rows of the block."};
    for (int y = 0; y < 8; ++y) {
        auto& row = warps.rows.emplace_back();
        for (int x = 0; x < 16; ++x)
            row.push_back({std::to_string((y * 16 + x) % 32), y / 2, NAN,
                           fmt::format("warp {}, lane {}", y / 2, (y * 16 + x) % 32)});
    }
    for (int w = 0; w < 4; ++w) warps.legend.push_back({w, fmt::format("warp {}", w)});
    threads.sections = {{"The map", {blocks, warps}}};
    r.pages.push_back(threads);

    Page vecadd = page("vecadd", "Vector addition in eight steps",
                       "The steps of every CUDA program, and what each of them costs.");
    Plot stack = curve_plot("steps", "Time of the steps",
                            {{"pageable", {0, 1, 2, 3, 4}, {310, 2900, 41, 1700, 90}, {}, Basis::measured},
                             {"pinned", {0, 1, 2, 3, 4}, {900, 810, 41, 800, 95}, {20, 15, 2, 9, 4}, Basis::measured}},
                            "", "time, µs");
    stack.kind = Plot::Kind::bar, stack.categories = {"allocate", "copy to the device", "kernel", "copy back", "free"};
    vecadd.sections = {{"Time", {stack, rung_table("rungs")}}};
    r.pages.push_back(vecadd);

    Page matmul = page("matmul", "Matrix multiplication",
                       "From one thread an element to tiles in registers: what each step saves, counted.");
    Plot rate =
        curve_plot("rate", "Rate by size",
                   {series("naive", Basis::predicted, powers(9, 11), [](double n) { return 900 + n / 8; }),
                    series("tiled", Basis::predicted, powers(9, 11), [](double n) { return 4200 + n; }),
                    series("registers", Basis::predicted, powers(9, 11), [](double n) { return 21000 + 4 * n; }),
                    series("CPU", Basis::measured, powers(9, 11), [](double n) { return 90 + n / 100; })},
                   "N", "GFLOP/s");
    rate.x_log = rate.y_log = true;
    Plot access =
        curve_plot("accesses", "Global accesses",
                   {series("counted", Basis::counted, powers(9, 11), [](double n) { return 2 * n * n * n / 32; }),
                    series("2N³/T", Basis::computed, powers(9, 11), [](double n) { return 2 * n * n * n / 16; })},
                   "N", "elements");
    access.x_log = access.y_log = true;
    matmul.sections = {{"Results",
                        {Paragraph{"Each rung changes one thing against the one before; all are verified against a "
                                   "product in double precision.",
                                   Paragraph::Kind::text},
                         rung_table("rungs"), rate, access}},
                       {"Listings", listings(source, "matmul")}};
    r.pages.push_back(matmul);

    r.pages.push_back(every_block_page());
    Page& banks = r.pages.back();
    banks.id = "banks";
    banks.sections[1].blocks.insert(banks.sections[1].blocks.begin(), {Block(bank_map(32, 0)), Block(bank_map(32, 1))});
    Table strides{"all",
                  "All strides",
                  {{"stride"},
                   {"ways", "", Basis::computed, 3, true},
                   {"wavefronts", "", Basis::counted, 3, true},
                   {"latency", "cycles", Basis::measured}},
                  {},
                  ""};
    for (int s = 1; s <= 64; ++s)
        strides.rows.push_back({std::int64_t(s), std::int64_t(ways(s)), std::int64_t(ways(s)), 27.0 + 2 * ways(s)});
    banks.sections.push_back({"Strides 1 to 64", {strides}});

    Page occupancy = page("occupancy", "Occupancy", "How many warps fit on a multiprocessor, and what limits them.");
    std::vector<Block> plots;
    for (const char* what : {"registers a thread", "shared memory a block, KiB", "threads a block"})
        plots.push_back(curve_plot(std::string("by-") + std::string(1, what[0]), std::string("Occupancy by ") + what,
                                   {series("2.0", Basis::computed, range(16, 128, 4),
                                           [](double x) { return 100 * std::floor(48 * std::min(1.0, 21 / x)) / 48; }),
                                    series("3.5", Basis::computed, range(16, 128, 4),
                                           [](double x) { return 100 * std::floor(64 * std::min(1.0, 32 / x)) / 64; }),
                                    series("9.0", Basis::computed, range(16, 128, 4),
                                           [](double x) { return 100 * std::floor(64 * std::min(1.0, 40 / x)) / 64; })},
                                   what, "occupancy, %"));
    Plot cloud = curve_plot("cloud", "Bandwidth over active warps",
                            {series("C2050", Basis::quoted, range(2, 48, 2),
                                    [](double x) { return 120 * (1 - std::exp(-x / 12)) + 4 * std::sin(x * 3); }),
                             series("H200", Basis::measured, range(2, 64, 2),
                                    [](double x) { return 160 * (1 - std::exp(-x / 20)) + 5 * std::sin(x * 7); })},
                            "warps a multiprocessor", "GB/s");
    cloud.kind = Plot::Kind::scatter;
    plots.push_back(cloud);
    occupancy.sections = {{"Calculator", plots}};
    r.pages.push_back(occupancy);

    Page divergence = page("divergence", "Divergence", "What a warp pays when its lanes take different ways.");
    CellMap lanes{"lanes",
                  "Active lanes of a reduction, step by step",
                  {},
                  {},
                  {},
                  {{2, "active"}, {-1, "waits"}},
                  "The sequential version keeps whole warps idle."};
    for (int step = 0; step < 6; ++step) {
        lanes.row_names.push_back(fmt::format("step {}", step + 1));
        auto& row = lanes.rows.emplace_back();
        for (int lane = 0; lane < 64; ++lane)
            row.push_back({"", lane % (2 << step) == 0 ? 2 : -1, NAN, fmt::format("lane {}", lane)});
    }
    Timeline ways_of_warp{"ways",
                          "A warp on both ways of a branch",
                          "step",
                          {},
                          {{3, "the then part"}, {4, "the else part"}, {5, "together"}},
                          Basis::counted,
                          ""};
    for (int w = 0; w < 20; ++w)
        ways_of_warp.lanes.push_back({fmt::format("warp {}", w),
                                      {{0, 3, "", 5},
                                       {3, 3.0 + (w % 3 == 0 ? 6 : 5), "", 3},
                                       {3.0 + (w % 3 == 0 ? 6 : 5), w % 3 == 0 ? 14.0 : 9.0, "", w % 3 == 0 ? 4 : 5},
                                       {w % 3 == 0 ? 14.0 : 9.0, 17, "", 5}}});
    Plot chance = curve_plot("chance", "A warp diverges",
                             {series("32 lanes", Basis::computed, range(0.0005, 0.3, 0.004),
                                     [](double p) { return 1 - std::pow(p, 32) - std::pow(1 - p, 32); }),
                              series("64 lanes", Basis::computed, range(0.0005, 0.3, 0.004),
                                     [](double p) { return 1 - std::pow(p, 64) - std::pow(1 - p, 64); })},
                             "probability of a lane", "probability of the warp");
    divergence.sections = {{"Pictures", {lanes, ways_of_warp, chance}}};
    r.pages.push_back(divergence);

    Page streams = page("streams", "Streams", "Copies and kernels at the same time, and what breaks the overlap.");
    streams.sections = {{"In line and overlapped", {copies(1), copies(4), copies(8)}}};
    r.pages.push_back(streams);

    for (const char* ladder : {"reduce", "transpose", "copy", "matmul_tensor", "matmul_sparse"}) {
        Page p =
            page(ladder, std::string("The ladder ") + ladder, "Rung by rung, with the counts that explain each step.");
        Plot speed = curve_plot(
            "speed", "Speed-up over the first rung",
            {{"speed-up", {0, 1, 2, 3, 4, 5, 6, 7}, {1, 2.33, 4.7, 8.3, 15.1, 21.2, 30.0, 30.2}, {}, Basis::predicted}},
            "", "times faster");
        speed.kind = Plot::Kind::bar, speed.categories = {"interleaved, modulo", "strided",  "sequential",  "first add",
                                                          "last warp",           "unrolled", "grid-stride", "shuffle"};
        Plot band = curve_plot(
            "bandwidth", "Bandwidth by size",
            {series("predicted", Basis::predicted, powers(12, 26), [](double n) { return 4600 * n / (n + 4e6); }),
             series("measured", Basis::measured, powers(12, 26), [](double n) { return 4200 * n / (n + 6e6); })},
            "elements", "GB/s");
        band.x_log = true;
        p.sections = {{"Results", {rung_table("rungs"), speed, band}}, {"Listings", listings(source, ladder)}};
        r.pages.push_back(p);
    }
    for (const char* id : {"coalescing", "spaces", "transfers", "links"}) {
        Page p =
            page(id,
                 id == std::string("links") ? "Links between devices, and what they carry when all of them talk at once"
                                            : std::string("The experiment ") + id,
                 "A page of tables and pictures.");
        CellMap segments{"segments", "Segments that a warp touches", {}, {}, {}, {}, ""};
        for (int offset = 0; offset < 8; ++offset) {
            segments.row_names.push_back(fmt::format("offset {}", offset * 4));
            auto& row = segments.rows.emplace_back();
            for (int word = 0; word < 40; ++word) {
                Cell cell;
                if (word >= offset && word < offset + 32) cell.heat = double((word * 7) % 32) / 31;
                cell.hover = fmt::format("byte {}", word * 4);
                row.push_back(cell);
            }
        }
        p.sections = {{"Results", {rung_table("rungs"), segments}}};
        r.pages.push_back(p);
    }
    r.pages.back().problems = {"one GPU only: nothing to link"};
    return r;
}

}  // namespace warpwright::test
